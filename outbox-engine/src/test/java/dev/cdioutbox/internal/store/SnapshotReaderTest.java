package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Guards the cost of a claim and of the backlog on PostgreSQL while a reader holds one snapshot. Index entries of
 * settled messages then stay, and both must begin above them. The test counts the pages of all their queries.
 */
@Tag("database")
class SnapshotReaderTest {
    private static final int BATCHES = 40;
    private static final int BATCH = 500;
    private static final int PARTITIONS = 4;

    /** Pages for the entries that were settled between the last but one observation of the writers and the claim. */
    private static final int MORE = 300;

    @AutoClose
    private final TestDatabase database = new TestDatabase(Database.POSTGRESQL);

    private final AtomicLong nanos = new AtomicLong();
    private final ExplainedSource explained = new ExplainedSource(database.dataSource());
    private final JdbcOutboxStore store = JdbcOutboxStore.open(
            explained.dataSource(),
            TestDatabase.config(SchemaMode.CREATE, "shop", PARTITIONS),
            Set.of(DESTINATION),
            nanos::get);

    @Test
    void claimAndBacklogCostTheSameHoweverMuchWasSettledUnderASnapshot() throws SQLException {
        set("synchronous_commit = on");
        settle(4);
        analyzeWhileMessagesWait();
        lookBelow();
        claim(0);
        Pages before = pages();

        Pages during;
        Pages looking;
        try (Connection reader = database.dataSource().getConnection()) {
            hold(reader);
            settle(BATCHES);
            lookBelow();
            claim(0);
            during = pages();
            lookBelow();
            looking = pages();
            reader.rollback();
        }

        String report =
                "pages of a claim of %d messages and of the backlog: %s before; %s with %d settled ones that a snapshot keeps; %s with a look below the read watermarks"
                        .formatted(BATCH, before, during, BATCHES * BATCH, looking);
        System.out.println(report);
        assertThat(looking.backlog())
                .as("what they would come by; " + report)
                .isGreaterThan(during.backlog() + BATCHES * BATCH / 40L);
        assertThat(looking.claim()).as(report + looking.plans()).isLessThanOrEqualTo(before.claim() + MORE);
        assertThat(during.claim()).as(report + during.plans()).isLessThanOrEqualTo(before.claim() + MORE);
        assertThat(during.backlog()).as(report + during.plans()).isLessThanOrEqualTo(before.backlog() + MORE);
    }

    /**
     * As autovacuum may do at any moment. With these statistics, the planner expects so few messages that it would rather
     * sort all rows than follow the index of the queues.
     */
    private void analyzeWhileMessagesWait() {
        store.capture().write(numbered(0, BATCH, BATCH));
        database.update("ANALYZE");
        claimAndSettle();
    }

    private static void hold(Connection reader) throws SQLException {
        reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        reader.setAutoCommit(false);
        try (Statement select = reader.createStatement()) {
            select.execute("SELECT COUNT(*) FROM shop_queue");
            // As a dump does: this locks the sequence as a writer does, and the reader must not count as a writer.
            select.execute("SELECT * FROM pg_sequences");
        }
    }

    private void set(String parameter) {
        database.update(
                "ALTER DATABASE " + database.query("SELECT current_database()").get(0) + " SET " + parameter);
    }

    private void settle(int batches) {
        for (int batch = 0; batch < batches; batch++) {
            store.capture().write(numbered(0, BATCH, BATCH));
            claimAndSettle();
        }
    }

    private Pages pages() {
        store.capture().write(numbered(0, BATCH, BATCH));
        long backlog = explained.pages(store.status()::backlog);
        String plans = explained.plans();
        long claim = explained.pages(() -> claim(BATCH));
        plans += "\n" + explained.plans();
        claimAndSettle();
        return new Pages(claim, backlog, plans);
    }

    private void claimAndSettle() {
        store.settlements().settleSent(sent(claim(BATCH)));
    }

    /**
     * The scan below the watermarks is due at the next claim or read of the backlog, which does it once a minute. It is
     * not due at the few claims after that.
     */
    private void lookBelow() {
        nanos.addAndGet(61_000_000_000L);
    }

    /** Lets just enough time pass for the next observation of the writers. */
    private List<Long> claim(int expected) {
        nanos.addAndGet(100_000_000);
        try (Claim claim = TestMessages.claim(store, limits(PARTITIONS, 4 * BATCH, 10_000_000))) {
            List<Long> sequences =
                    claim.messages().stream().map(OutboxMessage::sequence).toList();
            assertThat(sequences).hasSize(expected);
            return sequences;
        }
    }

    private record Pages(long claim, long backlog, String plans) {
        @Override
        public String toString() {
            return "claim=%d, backlog=%d".formatted(claim, backlog);
        }
    }
}
