package dev.cdioutbox.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;

import jakarta.inject.Inject;

import dev.cdioutbox.EventRefusedException;
import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Events that EJBs fire arrive once and in order, with their metadata, or fire() refuses them. */
@Tag("decisive")
@ExtendWith(ArquillianExtension.class)
class OutboxInContainerIT {
    private static final Duration SOON = Duration.ofMinutes(4);

    @Inject
    Shop shop;

    @Inject
    ClaimProbe claims;

    @Inject
    OutboxOperations outbox;

    @Inject
    SubscriberBean subscriber;

    private final String order = UUID.randomUUID().toString();

    @Deployment
    static WebArchive tests() {
        return Deployments.tests(
                "outbox.routes.OrderAnnounced=news", "outbox.destinations.news.jndi=jms/announcements");
    }

    @Test
    void messageArrivesWithAllItsProperties() {
        shop.ship(order, 1);
        awaitPublished(1);
        Received received = ReceiverBean.of(order).get(0);
        OutboxMessage stored = stored().get(0);

        assertThat(received.persistent()).isTrue();
        assertThat(received.jmsType()).isEqualTo("order.shipped");
        assertThat(received.groupId()).isEqualTo(order);
        assertThat(received.property("messageId")).isEqualTo(stored.id().toString());
        assertThat(received.properties().get("sequence")).isEqualTo(stored.sequence());
        assertThat(received.property("eventType")).isEqualTo("order.shipped");
        assertThat(received.properties().get("schemaVersion")).isEqualTo(3);
        assertThat(received.property("aggregateType")).isEqualTo("Order");
        assertThat(received.property("aggregateId")).isEqualTo(order);
        assertThat(received.property("contentType")).isEqualTo("application/json");
        assertThat(received.property("occurredAt"))
                .isEqualTo(stored.occurredAt().toString());
        assertThat(received.text())
                .isEqualTo(stored.body().text())
                .contains("\"orderId\":\"" + order + "\"", "ä", "\\\"quoted\\\"", "🫖");
        assertThat(stored.delivery().attempts()).isEqualTo(1);
        assertThat(stored.delivery().publishedAt()).isAfterOrEqualTo(stored.createdAt());
    }

    @Test
    void whatAnEnricherSetsIsStoredAndSent() {
        shop.ship(order, OrderShipped.RICH);
        Received received = received(order, 1).get(0);
        OutboxMessage stored = stored().get(0);

        assertThat(stored.event().aggregateId()).isEqualTo("shipment-of-" + order);
        assertThat(stored.context().correlationId()).isEqualTo("correlation-" + order);
        assertThat(stored.context().causationId()).isEqualTo("cause");
        assertThat(stored.context().tenantId()).isEqualTo("tenant");
        assertThat(stored.context().headers()).containsEntry("source", "shop").containsEntry("region", "north");
        assertThat(stored.terms().priority()).isEqualTo(7);
        assertThat(Duration.between(stored.createdAt(), stored.terms().expiresAt()))
                .isBetween(Duration.ofMinutes(59), Duration.ofMinutes(61));

        assertThat(received.property("aggregateId")).isEqualTo("shipment-of-" + order);
        assertThat(received.property("messageKey")).isEqualTo(order);
        assertThat(received.groupId()).isEqualTo(order);
        assertThat(received.correlationId()).isEqualTo("correlation-" + order);
        assertThat(received.property("causationId")).isEqualTo("cause");
        assertThat(received.property("tenantId")).isEqualTo("tenant");
        assertThat(received.property("source")).isEqualTo("shop");
        assertThat(received.property("region")).isEqualTo("north");
        assertThat(received.priority()).isEqualTo(7);
    }

    @Test
    void eventOfAMessageDrivenBeanIsCausedByItsMessage() {
        shop.ship(order, OrderShipped.RICH + " " + OrderShipped.REPLY, OrderShipped.RICH);
        List<Received> received = received(order, 2);

        assertThat(received).extracting(Received::jmsType).containsExactly("order.shipped", "order.arrived");
        Received reply = received.get(1);
        assertThat(reply.property("causationId")).isEqualTo(received.get(0).property("messageId"));
        assertThat(reply.correlationId()).isEqualTo("correlation-" + order);
        assertThat(reply.property("tenantId")).isEqualTo("tenant");
    }

    @Test
    void eventThatNothingCausedNamesNoCause() {
        shop.ship(order, "alone");
        Received received = received(order, 1).get(0);

        assertThat(received.properties()).doesNotContainKeys("causationId", "tenantId");
        assertThat(received.correlationId()).isEqualTo(received.property("messageId"));
    }

    @Test
    void tenEventsOfOneTransactionArriveInOrder() {
        shop.ship(order, 10);
        awaitPublished(10);
        List<Received> received = ReceiverBean.of(order);
        assertThat(received).extracting(Received::text).satisfies(texts -> IntStream.rangeClosed(1, 10)
                .forEach(step -> assertThat(texts.get(step - 1)).contains("\"step\":" + step + "}")));
        assertThat(received)
                .extracting(r -> (Long) r.properties().get("sequence"))
                .isSorted();
        assertThat(received).extracting(r -> r.property("messageId")).doesNotHaveDuplicates();
    }

    @Test
    void topicsSubscriberGetsEachEventOnceAndInOrder() {
        List<Received> received = subscriber.listen(10, () -> shop.announce(order, 10));

        assertThat(received).extracting(Received::text).satisfies(texts -> IntStream.rangeClosed(1, 10)
                .forEach(step -> assertThat(texts.get(step - 1)).contains("\"step\":" + step + "}")));
        assertThat(received).hasSize(10).allSatisfy(message -> {
            assertThat(message.jmsType()).isEqualTo("OrderAnnounced");
            assertThat(message.property("aggregateId")).isEqualTo(order);
            assertThat(message.persistent()).isTrue();
        });
    }

    @Test
    void rolledBackEventIsNeverStored() {
        shop.shipAndRollBack(order);
        assertThat(stored()).isEmpty();
    }

    @Test
    void eventOutsideOfATransactionIsRefused() {
        assertThatThrownBy(() -> shop.shipOutside(order)).satisfies(thrown -> assertRefused(thrown, "OBX-0101"));
        assertThat(stored()).isEmpty();
    }

    @Test
    void fireAsyncFailsItsStageAndIsLogged() {
        ServerLog log = new ServerLog();
        assertThatThrownBy(() -> shop.shipAsync(order).toCompletableFuture().get())
                .isInstanceOf(ExecutionException.class)
                .satisfies(thrown -> assertRefused(thrown, "OBX-0102"));
        assertThat(stored()).isEmpty();
        assertThat(log.lines("OBX-0102", OrderShipped.class.getName())).hasSize(1);
    }

    @Test
    void eventWhoseFieldsJsonBCannotSeeRollsTheTransactionBack() {
        assertThatThrownBy(() -> shop.shipAndFireWithoutGetters(order))
                .satisfies(thrown -> assertRefused(thrown, "OBX-0120"));
        assertThat(stored()).isEmpty();
    }

    @Test
    void eventFiredDuringTheCommitIsStored() {
        shop.shipLate(order);
        awaitPublished(1);
    }

    @Test
    void eventFiredAfterTheCommitIsRefused() {
        List<RuntimeException> refusals = new CopyOnWriteArrayList<>();
        shop.shipTooLate(order, refusals);
        assertThat(refusals).hasSize(1);
        assertRefused(refusals.get(0), "OBX-01");
        assertThat(stored()).isEmpty();
    }

    @Test
    void eventThatCannotBeWrittenRollsItsTransactionBack() {
        assertThatThrownBy(() -> shop.shipAndFireUnwritable(order))
                .satisfies(thrown -> assertRefused(thrown, "OBX-0108"))
                .hasStackTraceContaining("no text today");
        assertThat(stored()).isEmpty();
    }

    @Test
    void transactionOfAnIgnoredFailureDoesNotCommit() {
        assertThat(shop.shipAndIgnoreUnwritable(order)).isInstanceOf(EventRefusedException.class);
        assertThat(stored()).isEmpty();
    }

    @Test
    void claimIsKeptWhileRowsInDoubtAreLookedFor() throws Exception {
        shop.park(order);
        assertThat(claims.claimable()).isPositive();
        assertThat(claims.claimableByAnotherNode()).isZero();
        assertThat(claims.claimable()).as("after the claim was closed").isPositive();
    }

    @Test
    void missingDestinationBlocksNoOtherDestination() {
        shop.park(order);
        String other = UUID.randomUUID().toString();
        shop.ship(other, 1);
        await().atMost(SOON).until(() -> ReceiverBean.of(other).size() == 1);
        assertThat(stored()).extracting(m -> m.delivery().status()).containsExactly(OutboxStatus.PENDING);
        assertThat(stored()).extracting(m -> m.delivery().attempts()).containsExactly(0);
    }

    private static List<Received> received(String order, int messages) {
        await().atMost(SOON).until(() -> ReceiverBean.of(order).size() >= messages);
        return ReceiverBean.of(order);
    }

    private void awaitPublished(int messages) {
        await().atMost(SOON).until(() -> ReceiverBean.of(order).size() >= messages);
        await().atMost(SOON)
                .until(() -> stored().stream().allMatch(m -> m.delivery().status() == OutboxStatus.PUBLISHED));
        assertThat(stored()).hasSize(messages);
        assertThat(ReceiverBean.of(order)).hasSize(messages);
    }

    private List<OutboxMessage> stored() {
        return outbox.find(OutboxFilter.all().withKey(order));
    }

    private static void assertRefused(Throwable thrown, String code) {
        Throwable cause = thrown;
        while (cause != null && !(cause instanceof OutboxException)) {
            cause = cause.getCause();
        }
        assertThat(cause).as("cause of %s", thrown).isInstanceOf(OutboxException.class);
        assertThat(((OutboxException) cause).code()).startsWith(code);
    }
}
