package dev.cdioutbox.tests.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;

import jakarta.inject.Inject;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxOperations;
import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.container.ServerLog;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Messages that come more than once, late or with nothing to tell them by. */
@ExtendWith(ArquillianExtension.class)
class IdempotentConsumerIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    @Inject
    Ledger ledger;

    @Inject
    Post post;

    @Inject
    Hook hook;

    @Inject
    OutboxOperations outbox;

    private final String id = UUID.randomUUID().toString();

    @Deployment
    static WebArchive tests() {
        return Deployments.empty()
                .addPackage(IdempotentConsumerIT.class.getPackage())
                .addClass(ServerLog.class);
    }

    @BeforeEach
    void open() {
        ledger.open();
    }

    /** Its handler goes on only when three copies are on their way, each in a transaction that has begun. */
    @Test
    void messageThatComesManyTimesAtOnceTakesEffectOnce() {
        String text = "together " + id;
        post.send("jms/parcels", 20, text, Map.of("messageId", id));

        awaitEnded(text, 20);
        assertThat(ledger.notes("parcels", text)).hasSize(1);
        assertThat(ledger.inbox("parcels", id)).hasSize(1);
        assertThat(NoticedInterceptor.came(text))
                .as("no copy uses up a redelivery")
                .isEqualTo(20);
    }

    @Test
    void consumerThatFailsLeavesNoTraceAndGetsTheMessageAgain() {
        String text = "twice " + id;
        post.send("jms/parcels", 1, text, Map.of("messageId", id));

        await().atMost(SOON).until(() -> ledger.inbox("parcels", id).size() == 1);
        assertThat(NoticedInterceptor.came(text)).isEqualTo(3);
        assertThat(ledger.notes("parcels", text)).hasSize(1);
    }

    @Test
    void messageThatAlwaysFailsIsPutAsideByTheContainer() {
        String text = "never " + id;
        post.send("jms/parcels", 1, text, Map.of("messageId", id));

        await().atMost(SOON).until(() -> text.equals(post.putAside(text)));
        assertThat(ledger.notes("parcels", text)).isEmpty();
        assertThat(ledger.inbox("parcels", id)).isEmpty();
    }

    @Test
    void messageWithoutAnIdIsToldByThatOfJms() {
        String text = "nameless " + id;
        post.send("jms/parcels", 3, text, Map.of());

        await().atMost(SOON).until(() -> ledger.notes("parcels", text).size() == 3);
    }

    @Test
    void whatAConsumerFiresIsCausedByItsMessage() {
        String text = "reply " + id;
        post.send("jms/parcels", 2, text, Map.of("messageId", id, "tenantId", "tenant"));

        awaitEnded(text, 2);
        assertThat(outbox.find(OutboxFilter.all().withKey(text)))
                .singleElement()
                .satisfies(message -> {
                    assertThat(message.context().causationId()).isEqualTo(id);
                    assertThat(message.context().tenantId()).isEqualTo("tenant");
                });
    }

    @Test
    void overtakenMessageIsSkippedIfOrderIsAskedFor() {
        sendInOrder("9", 9);
        sendInOrder("8", 8);
        post.send(
                "jms/latest",
                1,
                id + " delayed",
                Map.of(
                        "messageId",
                        id + "d",
                        "aggregateId",
                        id,
                        "sequence",
                        3L,
                        "deliverNotBefore",
                        "2026-01-01T00:00:00Z"));
        post.send("jms/latest", 1, id + " keyless", Map.of("messageId", id + "k", "sequence", 2L));
        post.send(
                "jms/latest",
                1,
                id + " other",
                Map.of("messageId", id + "o", "aggregateId", id + "-2", "sequence", 1L));
        sendInOrder("10", 10);

        await().atMost(SOON).until(() -> ledger.notes("latest", id + "%").contains(id + " 10"));
        assertThat(ledger.notes("latest", id + "%"))
                .containsExactlyInAnyOrder(id + " 9", id + " delayed", id + " keyless", id + " other", id + " 10");
        assertThat(ledger.inbox("latest", id + "8"))
                .as("it is not looked at again")
                .hasSize(1);
    }

    private void sendInOrder(String name, long sequence) {
        post.send(
                "jms/latest",
                1,
                id + " " + name,
                Map.of("messageId", id + name, "aggregateId", id, "sequence", sequence));
    }

    @Test
    void anyMethodWithAnIdIsAConsumer() {
        ServerLog log = new ServerLog();
        assertThat(hook.call("note " + id, id)).isEqualTo(1);
        assertThat(hook.call("note " + id, id)).isZero();

        assertThat(ledger.notes("hook", "note " + id)).hasSize(1);
        assertThat(log.lines("outbox_event_id=" + id))
                .singleElement()
                .asString()
                .contains("OBX-0509", "outbox_action=skipped_duplicate", "consumer=hook");
    }

    @Test
    void consumerThatCallsItselfIsNotACopy() {
        assertThat(hook.callThrough("note " + id, id)).isEqualTo(11);
        assertThat(hook.callThrough("note " + id, id)).isZero();

        assertThat(ledger.notes("hook", "note " + id)).hasSize(1);
    }

    @Test
    void anyExceptionRollsBack() {
        assertThatThrownBy(() -> hook.fail("note " + id, id)).isInstanceOf(Exception.class);

        assertThat(ledger.notes("hook", "note " + id)).isEmpty();
        assertThat(hook.call("note " + id, id)).isEqualTo(1);
    }

    @Test
    void callWithoutATransactionIsRefused() {
        assertThatThrownBy(() -> hook.outside(id))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0506");
        assertThat(ledger.notes("hook", id)).isEmpty();
        assertThat(ledger.inbox("hook", id)).isEmpty();
    }

    @Test
    void callWithoutAnIdIsRefused() {
        for (String none : new String[] {null, "", "x".repeat(256)}) {
            assertThatThrownBy(() -> hook.call("note", none))
                    .isInstanceOf(OutboxException.class)
                    .hasMessageStartingWith("OBX-0507");
        }
    }

    @Test
    void inboxIsSweptAfterItsRetention() {
        hook.call("note " + id, id);
        hook.call("note " + id, id + "-young");
        ledger.update(
                "UPDATE outbox_inbox SET received_at = DATEADD(DAY, -8, CURRENT_TIMESTAMP) WHERE message_id = ?", id);

        await().atMost(SOON).until(() -> ledger.inbox("hook", id).isEmpty());
        assertThat(ledger.inbox("hook", id + "-young")).hasSize(1);
    }

    private static void awaitEnded(String text, int transactions) {
        await().atMost(SOON).until(() -> NoticedInterceptor.ended(text) >= transactions);
    }
}
