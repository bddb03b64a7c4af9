package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Guards the cost of a claim on MariaDB while a reader holds one snapshot. Settled messages then stay in the claim's
 * index, and MariaDB has no read watermarks. {@code mvn test -Plong -pl outbox-engine -Dtest=MariaDbSnapshotTest}
 */
@Tag("long")
@Tag("database")
class MariaDbSnapshotTest {
    private static final int BATCH = 500;
    private static final int PARTITIONS = 4;

    /** A page of the index has at least so many entries. Looking up the row of each entry would cost a page each. */
    private static final int ENTRIES = 50;

    @AutoClose
    private final TestDatabase database = new TestDatabase(Database.MARIADB);

    private final JdbcOutboxStore store = database.open(PARTITIONS);

    @Test
    void claimReadsOnlyTheEntriesThatWereSettledUnderTheSnapshot() throws SQLException {
        settle(4);
        Cost before = claim();
        Cost at20000;
        Cost at100000;
        try (Connection reader = database.dataSource().getConnection()) {
            reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            reader.setAutoCommit(false);
            Database.execute(reader, "SELECT COUNT(*) FROM shop_queue");
            settle(40);
            at20000 = claim();
            settle(160);
            at100000 = claim();
            reader.rollback();
        }

        String report =
                "a claim of %d on MariaDB: %s before, %s with 20,000 settled ones that a snapshot keeps, %s with 100,000"
                        .formatted(BATCH, before, at20000, at100000);
        System.out.println(report);
        assertThat(at20000.pages()).as(report).isLessThan(before.pages() + 20_000 / ENTRIES);
        assertThat(at100000.pages()).as(report).isLessThan(before.pages() + 100_000 / ENTRIES);
    }

    private void settle(int batches) {
        for (int batch = 0; batch < batches; batch++) {
            store.capture().write(numbered(0, BATCH, BATCH));
            try (Claim claim = TestMessages.claim(store, limits(PARTITIONS, 4 * BATCH, 10_000_000))) {
                store.settlements().settleSent(sent(sequences(claim)));
            }
        }
    }

    private Cost claim() {
        store.capture().write(numbered(0, BATCH, BATCH));
        Cost least = new Cost(Long.MAX_VALUE, 0);
        for (int time = 0; time < 5; time++) {
            long pages = pages();
            long start = System.nanoTime();
            try (Claim claim = TestMessages.claim(store, limits(PARTITIONS, 4 * BATCH, 10_000_000))) {
                assertThat(sequences(claim)).hasSize(BATCH);
            }
            Cost cost = new Cost(pages() - pages, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
            least = cost.pages() < least.pages() ? cost : least;
        }
        try (Claim claim = TestMessages.claim(store, limits(PARTITIONS, 4 * BATCH, 10_000_000))) {
            store.settlements().settleSent(sent(sequences(claim)));
        }
        return least;
    }

    /**
     * The page reads of the whole server, including its purge: no other counter includes rows that are marked as
     * deleted.
     */
    private long pages() {
        return Long.parseLong(database.query(
                        "SELECT variable_value FROM information_schema.global_status WHERE variable_name = 'INNODB_BUFFER_POOL_READ_REQUESTS'")
                .get(0));
    }

    private static List<Long> sequences(Claim claim) {
        return claim.messages().stream().map(OutboxMessage::sequence).toList();
    }

    private record Cost(long pages, long millis) {
        @Override
        public String toString() {
            return "%,d pages (%d ms)".formatted(pages, millis);
        }
    }
}
