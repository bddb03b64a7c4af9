package dev.cdioutbox.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import jakarta.inject.Inject;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The metadata of an event reaches the table and the message. */
@ExtendWith(ArquillianExtension.class)
class MetadataIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    @Inject
    Shop shop;

    @Inject
    OutboxOperations outbox;

    private final String order = UUID.randomUUID().toString();

    @Deployment
    static WebArchive tests() {
        return Deployments.tests();
    }

    @Test
    void whatAnEnricherSetsIsStoredAndSent() {
        shop.ship(order, OrderShipped.RICH);
        Received received = received(order, 1).get(0);
        OutboxMessage stored = stored().get(0);

        assertThat(stored.context().correlationId()).isEqualTo("correlation-" + order);
        assertThat(stored.context().causationId()).isEqualTo("cause");
        assertThat(stored.context().tenantId()).isEqualTo("tenant");
        assertThat(stored.context().headers()).containsEntry("source", "shop").containsEntry("region", "north");
        assertThat(stored.terms().priority()).isEqualTo(7);
        assertThat(Duration.between(stored.createdAt(), stored.terms().expiresAt()))
                .isBetween(Duration.ofMinutes(59), Duration.ofMinutes(61));

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

    private static List<Received> received(String order, int messages) {
        await().atMost(SOON).until(() -> ReceiverBean.of(order).size() >= messages);
        return ReceiverBean.of(order);
    }

    private List<OutboxMessage> stored() {
        return outbox.find(OutboxFilter.all().withKey(order));
    }
}
