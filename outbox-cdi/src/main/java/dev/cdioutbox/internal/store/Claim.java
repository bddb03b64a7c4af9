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
 * Partitions of one destination that only this node reads until the claim is closed, and their due messages. The claim
 * is a set of row locks on a connection of its own, so it ends with the connection and needs no clock. Where the
 * database cannot skip locked rows it is a {@link Lease}. Used by one thread.
 */
public final class Claim implements AutoCloseable {
    private static final Logger LOG = Logger.getLogger(Claim.class.getName());

    private final OwnTransaction transaction;
    private final List<Integer> partitions;
    private final QueueReader reader;
    private final boolean maintained;
    private final BlockedKeyTable blockedKeys;
    private final Lease lease;
    private final LeaseTable leases;

    /** A claim by row lock. */
    Claim(
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
    Claim(OwnTransaction transaction, QueueReader reader, boolean maintained, Lease lease, LeaseTable leases) {
        this.transaction = transaction;
        this.partitions = List.copyOf(lease.partitions());
        this.reader = reader;
        this.maintained = maintained;
        this.blockedKeys = null;
        this.lease = lease;
        this.leases = leases;
    }

    /** The ids of the locked partitions. */
    public List<Integer> partitions() {
        return partitions;
    }

    /** The due messages, for each key in order and without a gap. */
    public List<OutboxMessage> messages() {
        return reader.batch().messages();
    }

    /**
     * The partition after which the next claim begins: the last one with a message in this batch.
     *
     * @param none the result if there is no such partition
     */
    public int lastServedPartition(int none) {
        reader.recordBatchEnd();
        return reader.queueOrder().lastServed(messages(), none);
    }

    /** The same for a batch that ended before one of its messages. */
    public int lastServedPartitionBefore(OutboxMessage message, int none) {
        reader.recordBatchEndBefore(message);
        return reader.queueOrder().lastServedBefore(message, messages(), none);
    }

    /** Rows that cannot be decoded, with the reason. */
    public Map<Long, String> undecodable() {
        return reader.batch().undecodable();
    }

    /** The sequences of all rows of the batch. */
    public Set<Long> sequences() {
        return reader.batch().sequences();
    }

    /** The database's clock; null if the claim is empty. */
    public DatabaseClock clock() {
        return reader.clock();
    }

    public boolean isEmpty() {
        return reader.batch().isEmpty();
    }

    /**
     * Whether queue maintenance moved messages, so that the next claim may find due messages where this one did not.
     */
    public boolean maintained() {
        return maintained;
    }

    /** The lease, which must be renewed while the batch is sent; null for a claim by row lock. */
    public Lease lease() {
        return lease;
    }

    /**
     * Removes the rows that another transaction locks, and their followers: only a delivery in doubt can lock them, and
     * its keys wait for the outcome. If these were all rows of a queue that has more, the claim reads again without
     * them.
     *
     * @param lockable the sequences of the rows that are not locked now
     * @return whether rows were read again, so that they have to be probed too
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
            // The locks end with the connection, and settlements are committed elsewhere. A lease expires.
            LOG.log(Level.FINE, e, () -> Problem.DATABASE_FAILED.text("giving back a claim", Problem.reason(e)));
        }
    }

    /** While the partitions are still locked: empty blocked keys would keep later ones from being read. */
    private void maintain(QueueMaintenance remaining) throws SQLException {
        remaining.emptyKeys.retainAll(blockedKeys.findEmpty(transaction.connection(), remaining.emptyKeys));
        if (!remaining.isEmpty()) {
            blockedKeys.maintain(transaction.connection(), remaining);
            transaction.commit();
        }
    }
}
