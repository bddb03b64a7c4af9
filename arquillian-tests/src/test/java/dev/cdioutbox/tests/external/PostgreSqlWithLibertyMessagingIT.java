package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.external.Landscape.awaitLog;
import static dev.cdioutbox.tests.external.Landscape.tell;
import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import dev.cdioutbox.tests.server.FirstColumn;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.PostgresServer;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The sample on PostgreSQL with Liberty's own messaging, as in the tutorial, when its server dies while it commits a batch. */
@Tag("full")
class PostgreSqlWithLibertyMessagingIT {
    private static final int KILLS = 3;
    /** A batch whose database branch is prepared. */
    private static final String IN_DOUBT =
            "SELECT q.seq FROM outbox_queue q JOIN pg_prepared_xacts p ON q.xmax = p.transaction";

    @Test
    void nothingIsLostDoubledOrOvertakenWhenTheServerIsKilledWhileItCommits() throws SQLException {
        try (PostgresServer database = new PostgresServer().start(100);
                LibertyServer server = onPostgreSql(database)) {
            SampleClient sample = new SampleClient(server::url);
            awaitLog(server, 0, "OBX-0420: destination 'default': exactly-once");
            for (int kill = 1; kill <= KILLS; kill++) {
                List<String> acknowledged;
                try (Traffic traffic = new Traffic(sample, sample)) {
                    awaitPrepared(database);
                    server.kill();
                    tell(
                            "kill %d: %d message(s) in doubt",
                            kill, database.query(IN_DOUBT).size());
                    server.start();
                    acknowledged = traffic.acknowledged();
                }
                awaitQuiet(database);
                assertThat(database.query("SELECT message_key || ' ' || event_type FROM outbox_message"))
                        .containsAll(acknowledged);
            }
            assertEachOnceAndInOrder(database);
            assertThat(server.log()).as("copies").doesNotContain("OBX-0509");
        }
    }

    private static LibertyServer onPostgreSql(PostgresServer database) {
        return LibertyServer.sample("postgresql-embedded")
                .edit("server.xml", "cdi-outbox/embedded.xml", "cdi-outbox/postgresql-embedded.xml")
                .set("cdioutbox.postgresql.port", String.valueOf(database.port()))
                .set("cdioutbox.postgresql.database", "postgres")
                .set("cdioutbox.postgresql.user", "postgres")
                .start();
    }

    private static void awaitPrepared(PostgresServer database) throws SQLException {
        long deadline = System.nanoTime() + LONG.toNanos();
        try (Connection connection = database.connect()) {
            while (FirstColumn.of(connection, IN_DOUBT).isEmpty()) {
                assertThat(System.nanoTime()).as("no batch is prepared").isLessThan(deadline);
            }
        }
    }

    private static void awaitQuiet(PostgresServer database) {
        await("every message is published").atMost(LONG).until(() -> database.query(
                        "SELECT seq FROM outbox_message_view WHERE status IS DISTINCT FROM 'PUBLISHED'")
                .isEmpty());
        await("the consumer got every message").atMost(LONG).until(() -> database.query(
                        "SELECT seq FROM outbox_message m WHERE NOT EXISTS"
                                + " (SELECT 1 FROM shipment s WHERE s.message_id = m.message_id)")
                .isEmpty());
        await("nothing is in doubt").atMost(LONG).until(() -> database.query("SELECT gid FROM pg_prepared_xacts")
                .isEmpty());
    }

    private static void assertEachOnceAndInOrder(PostgresServer database) {
        assertThat(database.query("SELECT message_id FROM shipment")).doesNotHaveDuplicates();
        assertThat(database.query("SELECT message_key FROM outbox_message m"
                        + " WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.id = m.message_key)"))
                .as("ghosts")
                .isEmpty();
        assertThat(database.query("SELECT a.order_id FROM shipment a JOIN shipment b ON b.order_id = a.order_id"
                        + " WHERE a.sequence_no < b.sequence_no AND a.received_at > b.received_at"))
                .as("overtaken")
                .isEmpty();
    }
}
