package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.partition;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.internal.store.sql.PartitionIds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Guards the plans while one key has a large backlog: nearly all rows then wait in one queue, and the planner expects each
 * other queue to have many rows too. A plan that searches an empty queue in the whole table made PostgreSQL claim 240
 * messages a second instead of thousands.
 */
@ParameterizedClass(name = "{0}", allowZeroInvocations = true)
@EachDatabase(Database.POSTGRESQL)
class HotQueuePlansTest {
    private static final int BACKLOG = 100_000;

    private static final int PARTITIONS = 64;

    /** In pages: some for each partition. */
    private static final int CLAIM_READS = 2_000;

    /** In pages: two for each of the 10,000 messages that the backlog counts, since an update has moved them. */
    private static final int BACKLOG_READS = 25_000;

    private final Database kind;
    private final TestDatabase database;

    HotQueuePlansTest(Database kind) {
        this.kind = kind;
        this.database = new TestDatabase(kind);
    }

    @BeforeEach
    void fill() {
        database.open(PARTITIONS);
        BulkRows rows = new BulkRows(database);
        rows.unclaimed(BACKLOG);
        // Most rows of the queue have moved, and messages have a payload as usual. Without that, the planner takes the
        // index of the queues anyway.
        database.update("UPDATE shop_message SET payload = repeat('x', 1024)");
        database.update("UPDATE shop_queue SET attempts = 1 WHERE MOD(seq, 7) > 0");
        rows.analyze();
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void emptyQueueIsSearchedInTheIndexOfTheQueues() throws SQLException {
        Map<String, String> sql = StatementCatalog.of(TestDatabase.PREFIX, kind.dialect());
        String watermarks = "{" + String.join(",", Collections.nCopies(PARTITIONS + 1, "0")) + "}";
        long delayed = partition("default", PartitionIds.DELAYED);
        check(
                "claim",
                CLAIM_READS,
                sql.get("PartitionClaim.find"),
                0L,
                watermarks,
                partition("default", PartitionIds.BACKFILL),
                partition("default", PartitionIds.BACKFILL + PARTITIONS),
                16,
                delayed,
                delayed);
        check("counts", BACKLOG_READS, sql.get("Statements.counts"), backlog(sql.get("Statements.counts")));
        check("oldest", BACKLOG_READS, sql.get("Statements.oldest"), backlog(sql.get("Statements.oldest")));
    }

    private Object[] backlog(String statement) {
        int parameters = (int) statement.chars().filter(c -> c == '?').count();
        List<Object> all = new ArrayList<>(List.of("{}", "{}"));
        all.addAll(Collections.nCopies(parameters - all.size(), "shop"));
        return all.toArray();
    }

    private void check(String name, long most, String statement, Object... parameters) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            Explained plan = Explained.by(kind, connection, statement, parameters);
            connection.rollback();
            assertThat(plan.readsWhole()).as("%s; plan: %s", name, plan.plan()).isFalse();
            assertThat(plan.reads()).as("%s; plan: %s", name, plan.plan()).isBetween(1L, most);
        }
    }
}
