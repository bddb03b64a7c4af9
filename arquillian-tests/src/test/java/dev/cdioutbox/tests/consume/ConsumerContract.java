package dev.cdioutbox.tests.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import jakarta.inject.Inject;

import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.container.ServerLog;
import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.SampleClient;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The promises to a consumer on a server, for each database with an inbox. */
@ExtendWith(ArquillianExtension.class)
abstract class ConsumerContract {
    static final Duration SOON = Duration.ofMinutes(4);
    /** Liberty makes the properties of bootstrap.properties system properties, and so the port is one. */
    private static final SampleClient SERVER =
            new SampleClient(path -> URI.create("http://localhost:" + System.getProperty("http.port") + path));

    @Inject
    Ledger ledger;

    @Inject
    Post post;

    @Inject
    Hook hook;

    @Inject
    OutboxOperations outbox;

    final String id = UUID.randomUUID().toString();

    static WebArchive archive(String... configuration) {
        return Deployments.empty(configuration)
                .addPackage(ConsumerContract.class.getPackage())
                .addClasses(SampleClient.class, Http.class, Http.UnreachableException.class, ServerLog.class);
    }

    @BeforeEach
    void open() {
        // Null if a test runs outside of the server.
        if (ledger != null) {
            ledger.open();
        }
    }

    static double metric(String name, String consumer) {
        Double value = SERVER.metric(name, "consumer=\"" + consumer + "\"");
        return value == null ? 0 : value;
    }

    /** The handler of the first copy waits until three copies have arrived, each in a transaction of its own. */
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

    /**
     * The consumer throws, throws an exception that lets the container commit, or marks the transaction for rollback.
     */
    @Test
    void consumerThatFailsInWhateverWayLeavesNoTraceAndGetsTheMessageAgain() {
        double failures = metric("outbox_consumer_failures_total", "parcels");
        double redeliveries = metric("outbox_consumer_redeliveries_total", "parcels");
        for (String way : List.of("twice", "excused", "undone")) {
            post.send("jms/parcels", 1, way + " " + id, Map.of("messageId", way + id));
        }
        for (String way : List.of("twice", "excused", "undone")) {
            String text = way + " " + id;
            await().atMost(SOON).until(() -> ledger.inbox("parcels", way + id).size() == 1);
            assertThat(NoticedInterceptor.came(text)).as(way).isEqualTo(3);
            assertThat(ledger.notes("parcels", text)).as(way).hasSize(1);
        }
        assertThat(metric("outbox_consumer_failures_total", "parcels") - failures)
                .isEqualTo(6);
        assertThat(metric("outbox_consumer_redeliveries_total", "parcels") - redeliveries)
                .isEqualTo(6);
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
                    assertThat(message.context().correlationId()).isEqualTo("correlation " + text);
                });
    }

    @Test
    void overtakenMessageIsSkippedIfOrderIsAskedFor() {
        double stale = metric("outbox_stale_skipped_total", "latest");
        try (LogLines log = new LogLines()) {
            sendAroundAnOvertakenOne();
            await().atMost(SOON).until(() -> ledger.notes("latest", id + "%").contains(id + " 10"));
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("OBX-0510"))
                    .singleElement()
                    .asString()
                    .startsWith("WARNING ")
                    .contains("message " + id + "8 (key " + id + ", sequence 8)", "skipped_stale");
        }
        assertThat(ledger.notes("latest", id + "%"))
                .containsExactlyInAnyOrder(id + " 9", id + " delayed", id + " keyless", id + " other", id + " 10");
        assertThat(ledger.inbox("latest", id + "8"))
                .as("it is not looked at again")
                .hasSize(1);
        assertThat(metric("outbox_stale_skipped_total", "latest") - stale).isEqualTo(1);
    }

    private void sendAroundAnOvertakenOne() {
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
    }

    private void sendInOrder(String name, long sequence) {
        post.send(
                "jms/latest",
                1,
                id + " " + name,
                Map.of("messageId", id + name, "aggregateId", id, "sequence", sequence));
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

    static void awaitEnded(String text, int transactions) {
        await().atMost(SOON).until(() -> NoticedInterceptor.ended(text) >= transactions);
    }
}
