package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.cdioutbox.tests.server.Broker;
import dev.cdioutbox.tests.server.FirstColumn;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.PostgresServer;
import dev.cdioutbox.tests.server.QueuedMessages;
import dev.cdioutbox.tests.server.SampleClient;
import dev.cdioutbox.tests.server.Trap.Place;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Two servers with the sample, on one PostgreSQL and one ActiveMQ. Most tests share one landscape, which JUnit starts for
 * the first of them and closes after the last.
 */
final class Landscape implements AutoCloseable {
    static final int PREPARED_TRANSACTIONS = 200;
    static final int BATCH_SIZE = 20;
    static final String PILED = "{\"orderId\":\"piled\"}";

    final Broker broker;
    final LibertyServer a;
    final LibertyServer b;
    final SampleClient sampleOfA;
    final SampleClient sampleOfB;
    /** A test with a standby changes it, when the standby takes over. */
    PostgresServer database;

    private final String name;

    /** A landscape of its own, whose servers a test may configure before it starts them. */
    Landscape(String name, PostgresServer database) {
        this.name = name;
        this.database = database;
        broker = new Broker(name + "-activemq").start();
        a = server("a");
        b = server("b");
        sampleOfA = new SampleClient(a::url);
        sampleOfB = new SampleClient(b::url);
    }

    Landscape start() {
        try {
            CompletableFuture<?> other = CompletableFuture.runAsync(b::start);
            a.start();
            other.join();
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
        return this;
    }

    /** Configures one more server with the sample; the caller starts and closes it. */
    LibertyServer server(String id) {
        return LibertyServer.sample(name + "-" + id, "postgresql-activemq.xml")
                .adding(SessionSettingServlet.class, FirstColumn.class)
                .set("cdioutbox.postgresql.port", String.valueOf(database.port()))
                .set("cdioutbox.postgresql.database", "postgres")
                .set("cdioutbox.postgresql.user", "postgres")
                .set("cdioutbox.activemq.broker", broker.url())
                .set("outbox.dispatcher.interval", "PT1S")
                // Many small batches give a crash more places to hit.
                .set("outbox.dispatcher.batch-size", String.valueOf(BATCH_SIZE))
                // Recovery retries less often than the dispatcher polls, so that a message has the time to overtake a
                // batch in doubt.
                .set("cdioutbox.transaction.retry", "2s");
    }

    /** Waits until every message is published and the consumer has handled its own. */
    void awaitQuiet() {
        await("every message is published").atMost(LONG).until(() -> database.query(
                        "SELECT seq FROM outbox_message_view WHERE status IS DISTINCT FROM 'PUBLISHED'")
                .isEmpty());
        await("the consumer got every message").atMost(LONG).until(() -> database.query(
                        "SELECT seq FROM outbox_message m WHERE destination = 'default' AND NOT EXISTS"
                                + " (SELECT 1 FROM shipment s WHERE s.message_id = m.message_id)")
                .isEmpty());
    }

    /** Empties the queues of copies, and waits for messages that a busy broker delivers late. */
    void forget(String... queues) {
        for (String queue : queues) {
            await(queue + " is empty").atMost(LONG).until(() -> {
                broker.drain(queue);
                return broker.isEmpty(queue);
            });
        }
    }

    /**
     * Kills the victim while the broker holds a batch of it. The survivor's dispatcher is off, so the batch is the
     * victim's.
     */
    void killAt(Place place, LibertyServer victim, LibertyServer survivor) {
        int before = survivor.log().length();
        survivor.set("outbox.dispatcher.enabled", "false");
        awaitLog(survivor, before, "dispatcher.enabled is now false");
        broker.holdAt(place, "news");
        pile(1000);
        broker.awaitHeld(LONG);
        victim.kill();
        broker.letGo();
        tell("killed at %s", place);
        survivor.set("outbox.dispatcher.enabled", "true");
    }

    /** Inserts messages of 40 keys for the topic in one statement: several batches, and no work for the consumer. */
    void pile(int messages) {
        pile(messages, PILED);
    }

    void pile(int messages, String payload) {
        database.update(pile(messages, "news", "OrderCancelled", payload));
    }

    /** A statement that inserts messages of 40 keys, in the order of their numbers. */
    static String pile(int messages, String destination, String type, String payload) {
        return QueuedMessages.onPostgresql("""
                INSERT INTO outbox_message (message_id, application, event_type, schema_version, message_key, partition_id,
                  destination, content_type, payload, payload_bytes, occurred_at)
                SELECT gen_random_uuid(), p.application, '%s', 1, 'key-' || n %% 40, p.id, p.destination,
                  'application/json', '%s', %d, now()
                FROM generate_series(1, %d) n
                JOIN outbox_partition p ON p.destination = '%s' AND p.partition_no = 2 + n %% 40
                ORDER BY n""".formatted(type, payload, payload.length(), messages, destination));
    }

    /** Deletes messages from all tables. */
    void delete(String where) {
        database.update("""
                WITH m AS (DELETE FROM outbox_message WHERE %s RETURNING seq),
                  q AS (DELETE FROM outbox_queue WHERE seq IN (SELECT seq FROM m))
                DELETE FROM outbox_delivery WHERE seq IN (SELECT seq FROM m)""".formatted(where));
    }

    /** Waits until the log contains the text after this position. */
    static void awaitLog(LibertyServer server, int after, String text) {
        await(text).atMost(LONG).until(() -> server.log().indexOf(text, after) >= 0);
    }

    /** Prints a measured value. No test asserts it, since it depends on the machine. */
    static void tell(String what, Object... values) {
        System.out.println("[measured] " + what.formatted(values));
    }

    static double secondsSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e9;
    }

    List<String> attempts(List<String> orders) {
        return database.query("SELECT DISTINCT attempts FROM outbox_message_view WHERE message_key IN ('"
                + String.join("','", orders) + "')");
    }

    @Override
    public void close() {
        a.close();
        b.close();
        broker.close();
        database.close();
    }

    /** Passes the landscape to tests as a parameter. */
    static final class Started implements ParameterResolver {

        private static Landscape shared() {
            return new Landscape("external", new PostgresServer().start(PREPARED_TRANSACTIONS)).start();
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
            return parameter.getParameter().getType() == Landscape.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
            return test.getRoot()
                    .getStore(Namespace.GLOBAL)
                    .getOrComputeIfAbsent(Landscape.class, type -> shared(), Landscape.class);
        }
    }
}
