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
import dev.cdioutbox.internal.store.blockedkey.BlockedKeyTable;
import dev.cdioutbox.internal.store.blockedkey.PendingMaintenance;
import dev.cdioutbox.internal.store.lease.LeaseTable;
import dev.cdioutbox.internal.store.sql.OwnTransaction;

/** A claim on a separate connection: its row locks end with the connection. Or a claim by lease, which expires. */
public final class JdbcClaim implements Claim {
    private static final Logger LOG = Logger.getLogger(JdbcClaim.class.getName());

    private final OwnTransaction transaction;
    private final List<Integer> partitions;
    private final QueueReader reader;
    private final boolean maintained;
    private final BlockedKeyTable blockedKeys;
    private final Lease lease;
    private final LeaseTable leases;

    /** A claim by row lock. */
    JdbcClaim(
            OwnTransaction transaction,
            List<Integer> queues,
            QueueReader reader,
            boolean maintained,
            BlockedKeyTable blockedKeys) {
        this.transaction = transaction;
        this.partitions = List.copyOf(queues);
        this.reader = reader;
        this.maintained = maintained;
        this.blockedKeys = blockedKeys;
        this.lease = null;
        this.leases = null;
    }

    /** A claim by lease. */
    JdbcClaim(OwnTransaction transaction, QueueReader reader, boolean maintained, Lease lease, LeaseTable leases) {
        this.transaction = transaction;
        this.partitions = List.copyOf(lease.partitions());
        this.reader = reader;
        this.maintained = maintained;
        this.blockedKeys = null;
        this.lease = lease;
        this.leases = leases;
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
    public Map<Long, String> undecodable() {
        return reader.batch().undecodable();
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
            if (lease == null) {
                maintain(reader.remainingMaintenance());
            } else if (!lease.partitions().isEmpty()) {
                transaction.rollback();
                leases.giveBack(transaction.connection(), lease);
                transaction.commit();
            }
        } catch (SQLException e) {
            // Ignore the failure: locks end with the connection, a lease expires, and other transactions commit the
            // settlements.
            LOG.log(Level.FINE, e, () -> Problem.DATABASE_FAILED.text("giving back a claim", Problem.reason(e)));
        }
    }

    /**
     * Removes empty blocked keys, under the lock of the partitions: with them the next claim could not reach later
     * ones.
     */
    private void maintain(PendingMaintenance remaining) throws SQLException {
        remaining.emptyKeys.retainAll(blockedKeys.findEmpty(transaction.connection(), remaining.emptyKeys));
        if (!remaining.isEmpty()) {
            blockedKeys.maintain(transaction.connection(), remaining);
            transaction.commit();
        }
    }
}
