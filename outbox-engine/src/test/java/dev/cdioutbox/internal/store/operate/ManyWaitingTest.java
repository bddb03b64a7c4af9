package dev.cdioutbox.internal.store.operate;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.BulkRows;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.EachDatabase;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.TransactionSource;
import dev.cdioutbox.internal.store.operate.MessageFinder.CandidateCount;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;

/** Guards the cost of an operation on some of many waiting messages, as in an outage. */
@ParameterizedClass(name = "{0}")
@EachDatabase
@Tag("full")
class ManyWaitingTest {
    private static final int PUBLISHED = 10_000;
    private static final int WAITING = 100_000;
    private static final int FAILED = 300;
    private static final int LIMIT = 500;
    private static final OutboxPageRequest FIRST = OutboxPageRequest.of(LIMIT);
    private static final int CAP = 10_000;

    /** In rows: each counted one in the queue, its message, and on MariaDB once more. */
    private static final long MOST_READ = 4L * CAP;

    /** In rows. The first batch may read all waiting messages: a row in the queue and a message each. */
    private static final long MOST_READ_FIRST = 3L * WAITING;

    @AutoClose
    private final TestDatabase database;

    ManyWaitingTest(Database kind) {
        database = new TestDatabase(kind);
    }

    @Test
    void firstBatchReadsWhatWaitsAndTheNextOnesReadFewRows() throws SQLException {
        database.open(4);
        BulkRows crowd = new BulkRows(database);
        crowd.published(PUBLISHED);
        crowd.unclaimed(WAITING);
        crowd.waiting(FAILED);
        long last = Long.parseLong(
                database.query("SELECT MAX(seq) FROM shop_message").get(0));
        database.settle(OutboxStatus.PUBLISHED, "seq = " + last);
        crowd.analyze();
        List<Long> waiting = database.query("SELECT seq FROM shop_queue ORDER BY seq").stream()
                .map(Long::valueOf)
                .toList();

        OutboxFilter all = OutboxFilter.all();
        OutboxFilter own = all.withKey("key");
        long middle = waiting.get(WAITING / 2);
        Map<String, Long> reads = new LinkedHashMap<>();
        for (OutboxFilter filter : List.of(all, own, own.withDestination("default"))) {
            reads.put("first of " + filter, reads(finder -> assertThat(first(finder, filter, FIRST))
                    .isEqualTo(waiting.subList(0, LIMIT))));
            reads.put("next of " + filter, reads(finder -> assertThat(first(finder, filter, FIRST.withAfter(middle)))
                    .isEqualTo(waiting.subList(WAITING / 2 + 1, WAITING / 2 + 1 + LIMIT))));
            reads.put("count of " + filter, reads(finder -> {
                CandidateCount extent = finder.countCandidates(MessageOperation.DISCARD, filter, FIRST, CAP);
                assertThat(extent.count()).isEqualTo(CAP);
                assertThat(extent.last()).as("the end of all batches").isEqualTo(last);
            }));
        }

        assertThat(reads)
                .allSatisfy((name, rows) ->
                        assertThat(rows).as(name).isLessThan(name.startsWith("first") ? MOST_READ_FIRST : MOST_READ));
    }

    @Test
    void theLowestAreFoundWhereverTheyWait() {
        database.open(4);
        BulkRows crowd = new BulkRows(database);
        crowd.waiting(FAILED);
        crowd.published(PUBLISHED);
        crowd.unclaimed(2 * MessageFinder.ROWS);
        OutboxFilter all = OutboxFilter.all();
        OutboxFilter rare = all.withKey("f7");
        List<Long> failed = database.query("SELECT seq FROM shop_queue ORDER BY seq").stream()
                .map(Long::valueOf)
                .toList();
        MessageFinder finder = finder(database.dataSource());
        assertThat(first(finder, all, FIRST)).isEqualTo(failed.subList(0, LIMIT));
        List<Long> of = first(finder, rare, FIRST);
        assertThat(of).hasSize(1);
        CandidateCount extent = finder.countCandidates(MessageOperation.DISCARD, rare, FIRST, CAP);
        assertThat(extent).isEqualTo(new CandidateCount(1, of.get(0)));
        CandidateCount below =
                finder.countCandidates(MessageOperation.DISCARD, all, FIRST.withBefore(failed.get(CAP + 5)), CAP);
        assertThat(below.count()).isEqualTo(CAP);
        assertThat(below.last()).isBetween(failed.get(CAP + 4), failed.get(CAP + 5) - 1);
    }

    private MessageFinder finder(DataSource source) {
        Sql sql = new Sql(TestDatabase.PREFIX, database.kind().dialect());
        return new MessageFinder(new Connections(source), "shop", sql, MessageFinder.ROWS);
    }

    private static List<Long> first(MessageFinder finder, OutboxFilter filter, OutboxPageRequest request) {
        return finder.candidates(MessageOperation.DISCARD, filter, request);
    }

    private long reads(Look look) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            if (database.kind() == Database.POSTGRESQL) {
                // The counters of this session do not include the reads of parallel workers.
                Database.execute(connection, "SET max_parallel_workers_per_gather = 0");
            }
            long before = reads(connection);
            look.at(finder(new TransactionSource(connection).dataSource()));
            long after = reads(connection);
            connection.rollback();
            return after - before;
        }
    }

    /** The number of rows that this transaction, or this session, has read so far. */
    private long reads(Connection connection) throws SQLException {
        String query =
                switch (database.kind()) {
                    case POSTGRESQL ->
                        "SELECT relname, seq_tup_read + COALESCE(idx_tup_fetch, 0)"
                                + " FROM pg_stat_xact_user_tables"
                                + " WHERE relname IN ('shop_message', 'shop_queue', 'shop_delivery')";
                    case MARIADB, MYSQL -> "SHOW SESSION STATUS LIKE 'Handler_read%'";
                    // H2 does not report reads; the test still checks the results.
                    case H2 -> "SELECT 'unknown', 0";
                };
        try (PreparedStatement select = connection.prepareStatement(query);
                ResultSet row = select.executeQuery()) {
            List<Long> rows = new ArrayList<>();
            while (row.next()) {
                rows.add(row.getLong(2));
            }
            return rows.stream().mapToLong(Long::longValue).sum();
        }
    }

    private interface Look {
        void at(MessageFinder finder);
    }
}
