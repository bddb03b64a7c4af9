package dev.cdioutbox.internal.store;

import java.util.Collection;
import java.util.List;
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

    /** Writes messages in one batch, in the caller's JTA transaction. */
    void write(List<NewMessage> messages);

    /**
     * Locks partitions of a destination and reads what is due in them, on a connection of its own that must not belong to
     * a JTA transaction.
     *
     * @param afterQueue the partition served last, so that each has been served
     */
    Claim claim(String destination, int afterQueue, ClaimLimits limits);

    /**
     * Which of these rows still wait and are held by no other transaction. What was settled since it was read is not
     * among them: a delivery that was in doubt then may have been committed meanwhile. Runs apart from the claim's connection and from any JTA
     * transaction, and keeps nothing locked.
     */
    Set<Long> lockable(Collection<Long> sequences);

    /** As {@link #lockable}, for a database that cannot leave out what others hold. */
    Set<Long> lockableNoWait(Collection<Long> sequences);

    /**
     * As is right for what was claimed so.
     *
     * @param lease null for a claim by lock
     */
    default Set<Long> lockable(Collection<Long> sequences, Lease lease) {
        return lease == null ? lockable(sequences) : lockableNoWait(sequences);
    }

    /** Which of these rows still wait, by what is committed at this moment. Apart from any JTA transaction. */
    Set<Long> pending(Collection<Long> sequences);

    /**
     * Renews a lease, in a transaction of its own and not in a JTA one.
     *
     * @return whether all of it was still its owner's
     */
    boolean renew(Lease lease);

    /**
     * Lets delayed messages whose time has come into their partitions, in a transaction of its own and not in a JTA one.
     *
     * @return whether there may be more of them
     */
    boolean releaseDelayed(String destination);

    /** Settles a batch in the caller's JTA transaction. */
    default SettlementResult settle(Settlement settlement) {
        return settle(settlement, null);
    }

    /**
     * Settles a batch in the caller's JTA transaction.
     *
     * @param lease under which it was claimed, or null
     * @return what an operator had done to it meanwhile
     * @throws dev.cdioutbox.OutboxException OBX-0312 if that has another owner by now; OBX-0305 if rows are not as they were
     *     claimed, and no operator has changed them
     */
    SettlementResult settle(Settlement settlement, Lease lease);

    /**
     * Removes messages of this application that were kept long enough, in one short transaction of its own and not in a
     * JTA one. Never one that is still to be delivered.
     *
     * @param after the sequence behind which to begin
     * @param upTo the last sequence to look at
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

    /** Takes a node's row away, in whatever transaction the caller has; tells whether there was one. */
    boolean deleteNode(NodeIdentity node);

    /** What processes tell those that come after them. */
    NodeRegistry nodeRegistry();

    /**
     * What is wrong with the tables: they are not there, or not of this version's shape. Not to be called in a JTA
     * transaction.
     *
     * @return null if nothing is
     */
    String problem();

    /** The backlog, in whatever transaction the caller has. */
    OutboxBacklog backlog();

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
