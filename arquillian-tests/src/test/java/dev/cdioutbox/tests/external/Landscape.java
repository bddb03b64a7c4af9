package dev.cdioutbox.tests.external;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.cdioutbox.tests.server.Broker;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.PostgresServer;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** The sample twice, on one PostgreSQL and one ActiveMQ: started for the first test that asks, ended after the last. */
final class Landscape implements AutoCloseable {
    static final Duration SOON = Duration.ofSeconds(60);
    static final int PREPARED_TRANSACTIONS = 200;
    static final int BATCH_SIZE = 20;

    final PostgresServer database = new PostgresServer().start(PREPARED_TRANSACTIONS);
    final Broker broker = new Broker("activemq").start();
    final LibertyServer a = server("external-a");
    final LibertyServer b = server("external-b");
    final SampleClient sampleOfA = new SampleClient(a::url);
    final SampleClient sampleOfB = new SampleClient(b::url);

    private Landscape() {
        try {
            CompletableFuture<?> other = CompletableFuture.runAsync(b::start);
            a.start();
            other.join();
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** One more server of the sample; to be started by who asks for it. */
    LibertyServer server(String name) {
        return LibertyServer.sample(name, "postgresql-activemq.xml")
                .set("cdioutbox.postgresql.port", String.valueOf(database.port()))
                .set("cdioutbox.postgresql.database", "postgres")
                .set("cdioutbox.postgresql.user", "postgres")
                .set("cdioutbox.activemq.broker", broker.url())
                .set("outbox.dispatcher.interval", "PT1S")
                // Many batches of few messages: more moments to die in.
                .set("outbox.dispatcher.batch-size", String.valueOf(BATCH_SIZE))
                // Longer than the interval: what overtakes a batch in doubt has the time to.
                .set("cdioutbox.transaction.retry", "2s");
    }

    /** Every message is published, and the consumer has got all of its own. */
    void awaitQuiet() {
        await("every message is published").atMost(SOON).until(() -> database.query(
                        "SELECT seq FROM outbox_message WHERE status <> 'PUBLISHED'")
                .isEmpty());
        await("the consumer got every message").atMost(SOON).until(() -> database.query(
                        "SELECT seq FROM outbox_message m WHERE destination = 'default' AND NOT EXISTS"
                                + " (SELECT 1 FROM shipment s WHERE s.message_id = m.message_id)")
                .isEmpty());
    }

    /** Leaves nothing in queues of copies, however long a broker that is busy takes to hand it out. */
    void forget(String... queues) {
        for (String queue : queues) {
            await(queue + " is empty").atMost(SOON).until(() -> {
                broker.drain(queue);
                return broker.isEmpty(queue);
            });
        }
    }

    /** Puts messages of 40 keys into the table at once, for the topic: more than one batch, and no work for the consumer. */
    void pile(int messages) {
        pile(messages, "{\"orderId\":\"piled\"}");
    }

    void pile(int messages, String payload) {
        database.update("""
                INSERT INTO outbox_message (message_id, application, event_type, schema_version, message_key, partition_no,
                  destination, queue_id, content_type, payload, payload_bytes, occurred_at, status)
                SELECT gen_random_uuid(), p.application, 'OrderCancelled', 1, 'key-' || n %% 40, p.partition_no, p.destination, p.id,
                  'application/json', '%s', %d, now(), 'PENDING'
                FROM generate_series(1, %d) n
                JOIN outbox_partition p ON p.destination = 'news' AND p.partition_no = n %% 40
                ORDER BY n""".formatted(payload, payload.length(), messages));
    }

    /** Waits until a server says in its log, after this length, that it took notice of a change. */
    static void awaitLog(LibertyServer server, int after, String text) {
        await(text).atMost(SOON).until(() -> server.log().indexOf(text, after) >= 0);
    }

    /** What was measured is told and not asserted: it depends on the machine. */
    static void tell(String what, Object... values) {
        System.out.println("[measured] " + what.formatted(values));
    }

    static double secondsSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e9;
    }

    List<String> attempts(List<String> orders) {
        return database.query("SELECT DISTINCT attempts FROM outbox_message WHERE message_key IN ('"
                + String.join("','", orders) + "')");
    }

    @Override
    public void close() {
        a.close();
        b.close();
        broker.close();
        database.close();
    }

    /** Gives it to tests as a parameter. */
    static final class Started implements ParameterResolver {

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
            return parameter.getParameter().getType() == Landscape.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
            return test.getRoot()
                    .getStore(Namespace.GLOBAL)
                    .getOrComputeIfAbsent(Landscape.class, type -> new Landscape(), Landscape.class);
        }
    }
}
