package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.external.Landscape.tell;
import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import jakarta.jms.JMSException;
import jakarta.jms.Message;

import dev.cdioutbox.tests.server.ArtemisBroker;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.PostgresServer;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The sample on Artemis, with the archive and the fragment of liberty-config. Its message-driven bean listens on the same
 * broker, so recovery needs the class of the archive.
 */
@Tag("full")
class ArtemisIT {
    private static final int PREPARED_TRANSACTIONS = 200;
    private static final int KILLS = 3;
    private static final int PILE = 500;
    private static final String UNPUBLISHED =
            "SELECT seq FROM outbox_message_view WHERE destination = '%s'" + " AND status IS DISTINCT FROM 'PUBLISHED'";

    private static PostgresServer database;
    private static ArtemisBroker broker;
    private static LibertyServer server;
    private static SampleClient sample;

    @BeforeAll
    static void start() {
        database = new PostgresServer().start(PREPARED_TRANSACTIONS);
        broker = new ArtemisBroker("artemis").start();
        server = LibertyServer.sample("on-artemis", "postgresql-artemis.xml")
                .set("cdioutbox.postgresql.port", String.valueOf(database.port()))
                .set("cdioutbox.postgresql.database", "postgres")
                .set("cdioutbox.postgresql.user", "postgres")
                .set("cdioutbox.artemis.broker", "host=localhost;port=" + broker.port())
                .set("outbox.dispatcher.interval", "PT1S")
                // Many small batches give a crash more places to hit.
                .set("outbox.dispatcher.batch-size", "20")
                .set("cdioutbox.transaction.retry", "2s")
                .start();
        sample = new SampleClient(server::url);
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
        if (broker != null) {
            broker.close();
        }
        if (database != null) {
            database.close();
        }
    }

    @Test
    void nothingIsLostDoubledOrOvertakenWhenServerAndBrokerAreKilled() throws JMSException {
        await("exactly-once is proven").atMost(LONG).until(() -> server.log()
                .contains("OBX-0420: destination 'default': exactly-once"));
        List<String> acknowledged = new ArrayList<>();
        for (int kill = 1; kill <= KILLS; kill++) {
            try (Traffic traffic = new Traffic(sample, sample)) {
                pile("default", PILE);
                awaitPrepared();
                server.kill();
                server.start();
                pile("default", PILE);
                awaitPrepared();
                broker.kill();
                broker.start();
                acknowledged.addAll(traffic.acknowledged());
            }
            awaitQuiet();
        }
        List<Message> copies = broker.drain("copy.outbox");
        tell("Artemis: %d messages in the broker, %d events acknowledged", copies.size(), acknowledged.size());
        Copies.assertEachOnceAndInOrder(copies, database);
        assertThat(database.query("SELECT message_key || ' ' || event_type FROM outbox_message"))
                .containsAll(acknowledged);
        assertThat(database.query("SELECT message_id FROM shipment")).doesNotHaveDuplicates();
    }

    /** Each batch has two branches, and PostgreSQL lists its own between prepare and commit. */
    private static void awaitPrepared() {
        await("a batch is being committed")
                .atMost(LONG)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> !database.query("SELECT 1 FROM pg_prepared_xacts").isEmpty());
    }

    private static void awaitQuiet() {
        await("nothing is in doubt").atMost(LONG).until(() -> database.query("SELECT gid FROM pg_prepared_xacts")
                .isEmpty());
        await("every message is published").atMost(LONG).until(() -> database.query(UNPUBLISHED.formatted("default"))
                .isEmpty());
        await("the consumer got every message").atMost(LONG).until(() -> database.query(
                        "SELECT seq FROM outbox_message m WHERE destination = 'default' AND NOT EXISTS"
                                + " (SELECT 1 FROM shipment s WHERE s.message_id = m.message_id)")
                .isEmpty());
    }

    @Test
    void fullAddressIsAFullDestinationAndNoMessageIsAbandoned() {
        pile("small", PILE / 5);
        await().atMost(LONG).until(() -> server.log().contains("OBX-0418"));
        assertThat(broker.drain("small")).isNotEmpty();
        await("room makes it go on").atMost(LONG).until(() -> {
            broker.drain("small");
            return database.query(UNPUBLISHED.formatted("small")).isEmpty();
        });
        assertThat(database.query("SELECT DISTINCT attempts FROM outbox_message_view WHERE destination = 'small'"))
                .as("attempts, the successful one included")
                .containsExactly("1");
    }

    /** Inserts messages of 40 keys in one statement: several batches. */
    private static void pile(String destination, int messages) {
        database.update(Landscape.pile(messages, destination, "OrderCancelled", Landscape.PILED));
    }
}
