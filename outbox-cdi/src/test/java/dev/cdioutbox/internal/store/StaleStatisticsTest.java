package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.settle.SettlementWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Guards that PostgreSQL finds rows by their primary key with stale statistics. ANALYZE usually runs when almost no
 * message waits. An outage then fills the queue index, and a statement must not scan that index for named rows.
 */
@Tag("database")
class StaleStatisticsTest {
    static {
        // The start of the server would exceed the timeout of a test.
        Database.POSTGRESQL.start();
    }

    private static final int ROWS = 512;

    private final Map<String, String> sql = StatementCatalog.of(TestDatabase.PREFIX, SupportedDatabases.POSTGRESQL);
    private final SettlementWriter settle =
            new SettlementWriter(TestDatabase.PREFIX, SupportedDatabases.POSTGRESQL, null, null, 1);

    @Test
    void rowsAreFoundByTheirKeysThoughNothingWaitedWhenTheTableWasAnalyzed() throws SQLException {
        try (TestDatabase database = new TestDatabase(Database.POSTGRESQL)) {
            database.open(1);
            BulkRows crowd = new BulkRows(database);
            crowd.published(100_000);
            crowd.analyze();
            crowd.unclaimed(2_000);
            List<Object> sequences = new ArrayList<>();
            for (long sequence = 100_001; sequences.size() < ROWS; sequence++) {
                sequences.add(sequence);
            }
            long queue = Long.parseLong(
                    database.query("SELECT MAX(queue_id) FROM shop_message").get(0));

            Map<String, Explained> plans = new LinkedHashMap<>();
            try (Connection connection = database.dataSource().getConnection()) {
                connection.setAutoCommit(false);
                plans.put("look", plan(connection, sql.get("JdbcOutboxStore.pending"), List.of(), sequences));
                plans.put("lock", plan(connection, sql.get("JdbcOutboxStore.lockPending"), List.of(), sequences));
                plans.put(
                        "lock one",
                        plan(connection, sql.get("RetryWriter.lockPending"), List.of(), sequences.subList(0, 1)));
                plans.put(
                        "lock followers",
                        plan(connection, sql.get("BlockedKeyTable.lockFollowers"), List.of(queue), sequences));
                plans.put(
                        "move",
                        plan(connection, sql.get("BlockedKeyTable.moveFollowers"), List.of(queue, queue), sequences));
                plans.put(
                        "settle",
                        plan(connection, settle.publish(0, false), Collections.singletonList(null), sequences));
                connection.rollback();
                plans.put("expire", plan(connection, settle.expire(false), List.of(), sequences));
                connection.rollback();
                List<Object> failed = List.of("FAILED", 1, "error", 1000L, queue);
                plans.put(
                        "postpone",
                        plan(connection, sql.get("RetryWriter.scheduleRetry"), failed, sequences.subList(0, 1)));
                connection.rollback();
                plans.put("leave", plan(connection, sql.get("SettlementWriter.deleteSettled"), List.of(), sequences));
                connection.rollback();
            }

            assertThat(plans).allSatisfy((name, plan) -> assertThat(plan.plan())
                    .contains("shop_message_pkey")
                    .doesNotContain("shop_message_queue"));
        }
    }

    private static Explained plan(Connection connection, String statement, List<Object> first, List<Object> sequences)
            throws SQLException {
        List<Object> parameters = new ArrayList<>(first);
        parameters.addAll(sequences);
        return Explained.by(Database.POSTGRESQL, connection, statement, parameters.toArray());
    }
}
