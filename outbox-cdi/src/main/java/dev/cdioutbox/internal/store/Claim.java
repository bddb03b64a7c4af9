package dev.cdioutbox.internal.store;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.problem.Problem;

/**
 * Partitions of one destination that are this node's alone until the claim is closed, and the messages that are due in
 * them. It is a row lock on a connection of its own, so it dies with the connection: no clock. Where the database cannot
 * do that it is a {@link Lease}. Used by one thread.
 */
public final class Claim implements AutoCloseable {
    private static final Logger LOG = Logger.getLogger(Claim.class.getName());

    private final OwnTransaction transaction;
    private final List<Integer> partitions;
    private final QueueReader reader;
    private final boolean maintained;
    private final ReadWatermarks watermarks;
    private final BlockedKeyTable blockedKeys;
    private final Lease lease;
    private final LeaseTable leases;

    /** By a lock. */
    Claim(
            OwnTransaction transaction,
            List<Integer> queues,
            QueueReader reader,
            boolean maintained,
            ReadWatermarks watermarks,
            BlockedKeyTable blockedKeys) {
        this.transaction = transaction;
        this.partitions = List.copyOf(queues);
        this.reader = reader;
        this.maintained = maintained;
        this.watermarks = watermarks;
        this.blockedKeys = blockedKeys;
        this.lease = null;
        this.leases = null;
    }

    /** By a lease. */
    Claim(OwnTransaction transaction, QueueReader reader, boolean maintained, Lease lease, LeaseTable leases) {
        this.transaction = transaction;
        this.partitions = List.copyOf(lease.partitions());
        this.reader = reader;
        this.maintained = maintained;
        this.watermarks = null;
        this.blockedKeys = null;
        this.lease = lease;
        this.leases = leases;
    }

    /** The ids of the locked partitions. */
    public List<Integer> partitions() {
        return partitions;
    }

    /** What is due, for each key in order and without a gap. */
    public List<OutboxMessage> messages() {
        return reader.batch().messages();
    }

    /**
     * The partition after which the next claim begins: the last one of these that has been served in this batch.
     *
     * @param none the answer if none has
     */
    public int lastServedPartition(int none) {
        reader.recordBatchEnd();
        return reader.queueOrder().lastServed(messages(), none);
    }

    /** The same for a batch that ended before this message of it. */
    public int lastServedPartitionBefore(OutboxMessage message, int none) {
        reader.recordBatchEndBefore(message);
        return reader.queueOrder().lastServedBefore(message, messages(), none);
    }

    /** Rows that cannot be read, with the reason. */
    public Map<Long, String> undecodable() {
        return reader.batch().undecodable();
    }

    /** All of these rows, which are to be settled if they are not in doubt. */
    public Set<Long> sequences() {
        return reader.batch().sequences();
    }

    /** The clock by which the messages were stored; null if the claim is empty. */
    public DatabaseClock clock() {
        return reader.clock();
    }

    public boolean isEmpty() {
        return reader.batch().isEmpty();
    }

    /** Whether messages were moved on the way, so that the next claim may find some that are due where this one did not. */
    public boolean maintained() {
        return maintained;
    }

    /** What has to be renewed while the batch is sent, and is asked for when it is settled; null if a lock does it. */
    public Lease lease() {
        return lease;
    }

    /**
     * Leaves out the rows that another transaction holds, and what follows them: only a delivery in doubt can hold
     * one, and its key waits for the outcome. If they were all that was read of a queue that has more, all is read anew
     * without them.
     *
     * @param lockable the sequences that are free at this moment
     * @return whether others were read, so that they have to be looked at in the same way
     */
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
            // The locks are gone with the connection; what was settled is committed elsewhere. A lease
            // runs out.
            LOG.log(Level.FINE, e, () -> Problem.DATABASE_FAILED.text("giving back a claim", Problem.reason(e)));
        }
    }

    /** As long as the partitions are locked. Else blocked keys that are empty would stand before others, which wait. */
    private void maintain(QueueMaintenance remaining) throws SQLException {
        remaining.emptyKeys.retainAll(blockedKeys.findEmpty(transaction.connection(), remaining.emptyKeys));
        if (!remaining.isEmpty()) {
            blockedKeys.maintain(transaction.connection(), remaining, watermarks);
            transaction.commit();
        }
    }
}
