package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.cdioutbox.OutboxMessage;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/**
 * Somebody reads on PostgreSQL with one snapshot for long. What is settled meanwhile cannot be taken out of the claim's
 * index, and each claim comes by it: a page for ten such rows where they lie together, as those of the one partition here do,
 * and only until the reader ends.
 */
class SnapshotReaderTest {
    private static final int BATCHES = 20;
    private static final int BATCH = 500;

    @AutoClose
    private final TestDatabase database = new TestDatabase(Database.POSTGRESQL);

    private final JdbcOutboxStore store = database.open(1);
    private final Statements sql = new Statements(TestDatabase.PREFIX, Dialects.POSTGRESQL);

    @Test
    void claimPaysForWhatASnapshotKeepsAndNothingAfterwards() throws SQLException {
        settle(BATCHES);
        Database.execute(database.dataSource(), "VACUUM shop_message");
        long before = pagesOfAClaim();

        long during;
        try (Connection reader = database.dataSource().getConnection()) {
            reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            reader.setAutoCommit(false);
            try (Statement select = reader.createStatement()) {
                select.execute("SELECT COUNT(*) FROM shop_message");
            }
            settle(BATCHES);
            Database.execute(database.dataSource(), "VACUUM shop_message");
            during = pagesOfAClaim();
            reader.rollback();
        }
        Database.execute(database.dataSource(), "VACUUM shop_message");
        long after = pagesOfAClaim();

        String report =
                "pages of a claim of %d rows: %d before, %d with %d settled rows that a snapshot keeps, %d after"
                        .formatted(BATCH, before, during, BATCHES * BATCH, after);
        System.out.println(report);
        assertThat(during).as(report).isLessThanOrEqualTo(before + BATCHES * BATCH / 10L);
        assertThat(after).as(report).isLessThanOrEqualTo(before + 50);
    }

    private void settle(int batches) {
        for (int batch = 0; batch < batches; batch++) {
            store.write(numbered(0, BATCH, BATCH));
            try (Claim claim = store.claim(DESTINATION, 0, new ClaimLimits(1, BATCH, 10_000_000))) {
                List<Long> sequences =
                        claim.messages().stream().map(OutboxMessage::sequence).toList();
                assertThat(sequences).hasSize(BATCH);
                store.settle(new Settlement(sequences, List.of()));
            }
        }
    }

    private long pagesOfAClaim() throws SQLException {
        store.write(numbered(0, BATCH, BATCH));
        String queue = database.query("SELECT MAX(queue_id) FROM shop_message").get(0);
        long pages = pages(sql.readQueues(1), Integer.valueOf(queue), 0L, BATCH);
        pages += pages(sql.candidates, "shop", DESTINATION, 0, 1);
        settleWithout();
        return pages;
    }

    private void settleWithout() {
        database.update("DELETE FROM shop_message WHERE queue_id IS NOT NULL");
    }

    private long pages(String statement, Object... parameters) {
        String plan =
                String.join("\n", database.query("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) " + statement, parameters));
        Matcher line = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?")
                .matcher(plan);
        assertThat(line.find()).as(plan).isTrue();
        return number(line.group(1)) + number(line.group(2));
    }

    private static long number(String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }
}
