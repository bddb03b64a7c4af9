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
    private final List<Integer> queues;
    private final QueueReader reader;
    private final boolean tended;
    private final Floors floors;
    private final Gates gates;
    private final Lease lease;
    private final Leases leases;

    /** By a lock. */
    Claim(
            OwnTransaction transaction,
            List<Integer> queues,
            QueueReader reader,
            boolean tended,
            Floors floors,
            Gates gates) {
        this.transaction = transaction;
        this.queues = List.copyOf(queues);
        this.reader = reader;
        this.tended = tended;
        this.floors = floors;
        this.gates = gates;
        this.lease = null;
        this.leases = null;
    }

    /** By a lease. */
    Claim(OwnTransaction transaction, QueueReader reader, boolean tended, Lease lease, Leases leases) {
        this.transaction = transaction;
        this.queues = List.copyOf(lease.partitions());
        this.reader = reader;
        this.tended = tended;
        this.floors = null;
        this.gates = null;
        this.lease = lease;
        this.leases = leases;
    }

    /** The ids of the locked partitions. */
    public List<Integer> queues() {
        return queues;
    }

    /** What is due, for each key in order and without a gap. */
    public List<OutboxMessage> messages() {
        return reader.batch().messages();
    }

    /**
     * The partition after which the next claim begins: the last one of these that has its turn in this batch.
     *
     * @param none the answer if none has
     */
    public int lastTurn(int none) {
        reader.endTurn();
        return reader.round().last(messages(), none);
    }

    /** The same for a batch that ended before this message of it. */
    public int lastTurnBefore(OutboxMessage message, int none) {
        reader.endTurnBefore(message);
        return reader.round().lastBefore(message, messages(), none);
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
    public boolean tended() {
        return tended;
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
    public boolean withhold(Set<Long> lockable) {
        return reader.withhold(lockable) && readOn();
    }

    private boolean readOn() {
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
                tend(reader.leftToTend());
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

    /** As long as the partitions are locked. Else gates that are empty would stand before others, which wait. */
    private void tend(Tending left) throws SQLException {
        left.empty.retainAll(gates.emptied(transaction.connection(), left.empty));
        if (!left.isEmpty()) {
            gates.tend(transaction.connection(), left, floors);
            transaction.commit();
        }
    }
}
