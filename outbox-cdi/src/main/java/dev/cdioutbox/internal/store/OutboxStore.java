package dev.cdioutbox.internal.store;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxNode;
import dev.cdioutbox.OutboxPage;
import dev.cdioutbox.internal.config.RetentionConfig;

/** The outbox's tables. Thread-safe; each method says in which transaction it runs. */
public interface OutboxStore {

    /** The database's product and version, as it calls itself. */
    String database();

    /**
     * Why the database cannot prepare transactions, in whatever transaction the caller has; null if it can, or does not
     * tell.
     */
    String preparedTransactionsProblem();

    /** Writes messages in one batch, in the caller's JTA transaction. */
    void write(List<NewMessage> messages);

    /**
     * Locks partitions of a destination and reads their due messages, on a connection of its own that must not belong
     * to a JTA transaction.
     *
     * @param afterQueue the partition that was served last, so that all are served in a cycle
     */
    Claim claim(String destination, int afterQueue, ClaimLimits limits);

    /**
     * The rows that are pending and not locked by another transaction. Rows that were settled since they were read are
     * not among them: a delivery in doubt may have been committed meanwhile. Runs apart from the claim's connection and
     * from any JTA transaction, and keeps no locks.
     */
    Set<Long> lockable(Collection<Long> sequences);

    /** As {@link #lockable}, for a database without SKIP LOCKED. */
    Set<Long> lockableNoWait(Collection<Long> sequences);

    /**
     * As fits the claim.
     *
     * @param lease null for a claim by row lock
     */
    default Set<Long> lockable(Collection<Long> sequences, Lease lease) {
        return lease == null ? lockable(sequences) : lockableNoWait(sequences);
    }

    /** The rows that are pending in the committed state. Apart from any JTA transaction. */
    Set<Long> pending(Collection<Long> sequences);

    /**
     * Renews a lease, in a transaction of its own and not in a JTA one.
     *
     * @return whether all partitions still belong to its owner
     */
    boolean renew(Lease lease);

    /**
     * Moves delayed messages that are due to their partitions, in a transaction of its own and not in a JTA one.
     *
     * @return whether there may be more of them
     */
    boolean releaseDelayed(String destination);

    /** Settles a batch in the caller's JTA transaction. */
    default SettlementResult settle(Settlement settlement) {
        return settle(settlement, null);
    }

    /**
     * Sets the attempts and the error of a message that waits, in a transaction of its own and not in a JTA one. For a
     * message that may crash its process: the count has to be there before it is sent.
     *
     * @param error null if there is none
     * @return whether the message still waits
     */
    boolean countAttempt(long sequence, int attempts, String error);

    /**
     * Settles a batch in the caller's JTA transaction.
     *
     * @param lease of the claim, or null
     * @return the changes of operators since the claim
     * @throws dev.cdioutbox.OutboxException OBX-0312 if the lease has another owner; OBX-0305 if rows have changed
     *     since the claim, and not by an operator
     */
    SettlementResult settle(Settlement settlement, Lease lease);

    /**
     * Deletes or archives messages of this application whose retention is over, in one short transaction of its own and
     * not in a JTA one. Never a message that is still to be delivered.
     *
     * @param after the sequence behind which to begin
     * @param upTo the last sequence to read
     */
    SweepResult sweep(RetentionConfig retention, long after, long upTo);

    /** Writes this node's row in the caller's JTA transaction. */
    default void writeHeartbeat(NodeIdentity node) {
        writeHeartbeat(node, 0);
    }

    /** Writes this node's row in the caller's JTA transaction, with the number of partitions that it holds. */
    void writeHeartbeat(NodeIdentity node, int partitions);

    /** The rows of all nodes, the one seen last first, in whatever transaction the caller has. */
    List<OutboxNode> nodes();

    /** Deletes a node's row, in any transaction of the caller; returns whether there was one. */
    boolean deleteNode(NodeIdentity node);

    /** The rows of all dispatching processes. */
    NodeRegistry nodeRegistry();

    /**
     * Checks the tables: whether they exist and have the shape of this version. Not to be called in a JTA transaction.
     *
     * @return the problem, or null
     */
    String problem();

    /** The backlog, in whatever transaction the caller has. */
    OutboxBacklog backlog();

    /**
     * How many pending and failed messages each destination has; a destination without any has no entry. If the sum reaches
     * {@link OutboxBacklog#CAP}, counting stopped there: each number is a lower bound, and destinations may be missing.
     */
    Map<String, Integer> waitingByDestination();

    /** The highest sequence that was shadowed for a destination, in whatever transaction the caller has; null if none was. */
    Long highestShadowed(String destination);

    /** Messages, newest first, in whatever transaction the caller has. */
    List<OutboxMessage> find(OutboxFilter filter, String messageId);

    /** These messages, the oldest first, in whatever transaction the caller has. */
    List<OutboxMessage> find(List<Long> sequences);

    /** A page of them at a bounded cost, in whatever transaction the caller has. */
    OutboxPage page(OutboxFilter filter);

    /** The same with empty payloads: for a list, which shows none and is asked for again and again. */
    OutboxPage list(OutboxFilter filter);
}
