package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.sql.StatusCode;
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

    private static final int PUBLISHED = 100_000;
    private static final int WAITING = 100_000;
    private static final int ROWS = 512;

    private final Map<String, String> sql = StatementCatalog.of(TestDatabase.PREFIX, SupportedDatabases.POSTGRESQL);

    @Test
    void rowsAreFoundByTheirKeysThoughNothingWaitedWhenTheTableWasAnalyzed() throws SQLException {
        try (TestDatabase database = new TestDatabase(Database.POSTGRESQL)) {
            quiet(database).unclaimed(WAITING);
            Map<String, Explained> plans = new LinkedHashMap<>();
            try (Connection connection = database.dataSource().getConnection()) {
                connection.setAutoCommit(false);
                for (Statement statement : statements(database)) {
                    Database.execute(connection, SupportedDatabases.POSTGRESQL.planByIndex());
                    plans.put(
                            statement.name,
                            Explained.by(Database.POSTGRESQL, connection, statement.text, statement.parameters));
                    connection.rollback();
                }
            }
            check(plans);
        }
    }

    /** A connection keeps its plans until the next ANALYZE, which may be a minute after the begin of an outage. */
    @Test
    void plansThatWereMadeWhenNothingWaitedFindRowsByTheirKeysToo() throws SQLException {
        try (TestDatabase database = new TestDatabase(Database.POSTGRESQL)) {
            BulkRows crowd = quiet(database);
            Map<String, Explained> plans = new LinkedHashMap<>();
            try (Connection connection = database.dataSource().getConnection()) {
                Map<String, KeptPlan> kept = new LinkedHashMap<>();
                for (Statement statement : statements(database)) {
                    kept.put(statement.name, new KeptPlan(connection, statement.text, statement.parameters));
                }
                connection.setAutoCommit(false);
                for (KeptPlan plan : kept.values()) {
                    plan.explained();
                    connection.rollback();
                }
                crowd.unclaimed(WAITING);
                for (Map.Entry<String, KeptPlan> plan : kept.entrySet()) {
                    plans.put(plan.getKey(), plan.getValue().explained());
                    connection.rollback();
                }
            }
            check(plans);
        }
    }

    @Test
    void lookScansTheIndexOfTheQueuesThoughItsPlanWasMadeWhenNothingWaited() throws SQLException {
        try (TestDatabase database = new TestDatabase(Database.POSTGRESQL);
                Connection connection = database.dataSource().getConnection()) {
            BulkRows crowd = quiet(database);
            KeptPlan kept = new KeptPlan(
                    connection, sql.get("WaitingDestinations.find"), "{}", "{}", "shop", PartitionIds.DELAYED);
            connection.setAutoCommit(false);
            for (int waiting : List.of(0, WAITING)) {
                crowd.unclaimed(waiting);
                Database.execute(connection, SupportedDatabases.POSTGRESQL.planScansByIndex());
                assertThat(kept.explained().plan())
                        .contains("shop_queue_order")
                        .doesNotContain("Seq Scan on shop_queue");
                connection.rollback();
            }
        }
    }

    /** Much is published and nothing waits but one message, as autovacuum finds the tables on most days. */
    private static BulkRows quiet(TestDatabase database) {
        JdbcOutboxStore store = database.open(1);
        BulkRows crowd = new BulkRows(database);
        crowd.published(PUBLISHED);
        store.capture().write(keyed("one"));
        crowd.analyze();
        return crowd;
    }

    private static void check(Map<String, Explained> plans) {
        assertThat(plans).allSatisfy((name, plan) -> assertThat(plan.plan())
                .contains("shop_queue_pkey")
                .doesNotContain("shop_queue_order", "Seq Scan on shop_"));
    }

    private List<Statement> statements(TestDatabase database) {
        long queue = Long.parseLong(
                database.query("SELECT MIN(queue_id) FROM shop_queue").get(0));
        Object[] sequences =
                LongStream.range(PUBLISHED + 1, PUBLISHED + 1 + ROWS).boxed().toArray();
        Object one = sequences[0];
        List<Object> settled = new ArrayList<>(List.of(sequences));
        settled.add(null);
        return List.of(
                new Statement("look", sql.get("JdbcPendingRows.pending"), sequences),
                new Statement("lock", sql.get("JdbcPendingRows.lockPending"), sequences),
                new Statement("lock one", sql.get("RetryWriter.lockPending"), one),
                new Statement("lock followers", sql.get("PartitionFollowers.lock"), after(sequences, queue)),
                new Statement("move", sql.get("PartitionFollowers.move"), after(sequences, queue, queue)),
                new Statement("settle", sql.get("PostgresqlSettlement.move"), settled.toArray()),
                new Statement("expire", sql.get("DeliveryTable.expire"), sequences),
                new Statement("settle one", sql.get("PostgresqlSettlement.move"), one, null),
                new Statement(
                        "postpone",
                        sql.get("RetryWriter.scheduleRetry"),
                        StatusCode.FAILED,
                        1,
                        "error",
                        1000L,
                        queue,
                        one),
                new Statement("leave", sql.get("DeliveryTable.remove"), sequences));
    }

    private static Object[] after(Object[] sequences, Object... first) {
        return Stream.of(first, sequences).flatMap(Stream::of).toArray();
    }

    private record Statement(String name, String text, Object... parameters) {}
}
