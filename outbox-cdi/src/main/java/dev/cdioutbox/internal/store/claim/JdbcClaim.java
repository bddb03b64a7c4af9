package dev.cdioutbox.internal.store.claim;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.Claim;
import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.internal.store.Lease;
import dev.cdioutbox.internal.store.blockedkey.PendingMaintenance;
import dev.cdioutbox.internal.store.sql.LocalTransaction;

/** A claim on a separate connection: its row locks end with the connection. Or a claim by lease, which expires. */
public final class JdbcClaim implements Claim {
    private static final Logger LOG = Logger.getLogger(JdbcClaim.class.getName());

    private final LocalTransaction transaction;
    private final List<Integer> partitions;
    private final QueueReader reader;
    private final boolean maintained;
    private final Lease lease;
    private final Release release;

    /**
     * @param lease null for a claim by row lock
     * @param release the work before the transaction ends
     */
    JdbcClaim(
            LocalTransaction transaction,
            List<Integer> partitions,
            QueueReader reader,
            boolean maintained,
            Lease lease,
            Release release) {
        this.transaction = transaction;
        this.partitions = List.copyOf(partitions);
        this.reader = reader;
        this.maintained = maintained;
        this.lease = lease;
        this.release = release;
    }

    @Override
    public List<Integer> partitions() {
        return partitions;
    }

    @Override
    public List<OutboxMessage> messages() {
        return reader.batch().messages();
    }

    @Override
    public int lastServedPartition(int none) {
        reader.recordBatchEnd();
        return reader.batch().lastServedPartition(none);
    }

    @Override
    public int lastServedPartitionBefore(OutboxMessage message, int none) {
        reader.recordBatchEndBefore(message);
        return reader.batch().lastServedPartitionBefore(message, none);
    }

    @Override
    public Map<Long, String> unreadable() {
        return reader.batch().unreadable();
    }

    @Override
    public Set<Long> sequences() {
        return reader.batch().sequences();
    }

    @Override
    public DatabaseClock clock() {
        return reader.clock();
    }

    @Override
    public boolean isEmpty() {
        return reader.batch().isEmpty();
    }

    @Override
    public boolean maintained() {
        return maintained;
    }

    @Override
    public Lease lease() {
        return lease;
    }

    @Override
    public boolean removeUnlockable(Set<Long> lockable) {
        return reader.removeUnlockable(lockable) && readMore();
    }

    private boolean readMore() {
        try {
            reader.read(transaction.connection());
            return !reader.batch().isEmpty();
        } catch (SQLException e) {
            throw Problem.DATABASE_FAILED.exception(e, "reading behind messages in doubt", Problem.reason(e));
        }
    }

    @Override
    public void close() {
        try (transaction) {
            release.run(reader.remainingMaintenance());
        } catch (SQLException e) {
            // Ignore the failure: locks end with the connection, a lease expires, and other transactions commit the
            // settlements.
            LOG.log(Level.FINE, e, () -> Problem.DATABASE_FAILED.text("giving back a claim", Problem.reason(e)));
        }
    }

    interface Release {
        /** @param remaining the maintenance that the claim has left */
        void run(PendingMaintenance remaining) throws SQLException;
    }
}
