package dev.cdioutbox.internal.store;

import java.time.Duration;
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
import dev.cdioutbox.internal.store.Claim.Lease;

/** The outbox's tables. Thread-safe; each method says in which transaction it runs. */
public interface OutboxStore {

    /** The database's own name and version. */
    String database();

    /** The database's prepared transactions, in any transaction of the caller; null if it does not limit them. */
    PreparedTransactions preparedTransactions();

    /** The reason why the DataSource takes no part in XA; null if it does, or if JDBC does not show it. */
    String dataSourceProblem();

    /** Writes messages in one batch, in the caller's JTA transaction. */
    void write(List<NewMessage> messages);

    /** The id of a message's partition, for a destination of this node. */
    int partitionOf(NewMessage message);

    /**
     * Locks partitions of a destination and reads their due messages, on a separate connection that must not belong to
     * a JTA transaction.
     *
     * @param afterPartition the last served partition, for a round robin
     * @param probe {@link #lockable}, on another connection than that of the claim
     */
    Claim claim(String destination, int afterPartition, Claim.Limits limits, Claim.LockProbe probe);

    /**
     * Finds the rows that are pending and not locked by another transaction. Leaves out rows that were settled since
     * the read: a delivery in doubt may have been committed meanwhile. Uses a separate connection outside of JTA, and
     * keeps no locks.
     */
    Set<Long> lockable(Collection<Long> sequences);

    /** The rows that are pending in the committed state. Runs outside of JTA. */
    Set<Long> pending(Collection<Long> sequences);

    /**
     * Renews the leases of all open claims, each in a separate transaction outside of JTA. The settlement of a batch detects a
     * lease that was lost.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0302 if the database has failed to renew one
     */
    void renewLeases();

    /**
     * Moves due delayed messages to their partitions, in a separate transaction outside of JTA. A bounded number for
     * each call: while more are due, {@link Claim#delayedAreDue} says so.
     *
     * @return whether this call has moved any
     */
    boolean releaseDelayed(String destination);

    /**
     * The time until the next message becomes due, among those that are delayed or wait for their retry. Runs in a
     * separate transaction outside of JTA.
     *
     * @return null if none waits
     */
    Duration untilNextDue(String destination);

    /**
     * Sets the number of unfinished sends of a waiting message, in a separate transaction outside of JTA. A retry sets it to
     * 0. For a message that may crash its process: the count must be committed before the send.
     *
     * @return whether the message still waits
     */
    boolean countUnfinishedSend(long sequence, int count);

    /**
     * Settles a batch in the caller's JTA transaction.
     *
     * @param lease the lease of the claim, or null
     * @return the changes of operators since the claim
     * @throws dev.cdioutbox.OutboxException OBX-0312 if the lease has another owner; OBX-0305 if another process has
     *     changed rows since the claim
     */
    Settlement.Result settle(Settlement settlement, Lease lease);

    /**
     * Inserts a row for a probe, in a separate transaction outside of JTA.
     *
     * @return its sequence
     */
    long insertProbe();

    /** Settles the row of a probe in the caller's JTA transaction, with all statements of a settlement. */
    void settleProbe(long sequence, RetentionConfig retention);

    /** Deletes the row of a probe, in a separate transaction outside of JTA. */
    void deleteProbe(long sequence);

    /**
     * Deletes or archives messages of this application after their retention, in one short transaction outside of JTA.
     * Never removes an undelivered message.
     *
     * @param after the sequence after which to begin
     */
    SweepResult sweep(RetentionConfig retention, long after);

    /**
     * Deletes old records of the inbox, in one short transaction outside of JTA.
     *
     * @return whether there may be more
     */
    boolean sweepInbox(Duration retention);

    /** Writes this node's row in the caller's JTA transaction. */
    default void writeHeartbeat(ThisNode node) {
        writeHeartbeat(node, 0);
    }

    /** Writes this node's row in the caller's JTA transaction, with the number of partitions that it holds. */
    void writeHeartbeat(ThisNode node, int partitions);

    /** The rows of all nodes, the one with the latest heartbeat first, in any transaction of the caller. */
    List<OutboxNode> nodes();

    /** Deletes a node's row, in any transaction of the caller; returns whether there was one. */
    boolean deleteNode(String node);

    /**
     * Checks that the tables exist and have the shape of this version, and that no message waits where no claim looks.
     * Puts rows of partitions and controls back that were deleted. Do not call this in a JTA transaction.
     *
     * @return the problem, or null
     */
    String problem();

    /** The backlog, in any transaction of the caller. */
    OutboxBacklog backlog();

    /**
     * The number of pending and failed messages of each destination that has some. If the sum reaches
     * {@link OutboxBacklog#CAP}, counting stopped there: each number is a lower bound, and destinations may be missing.
     */
    Map<String, Integer> waitingByDestination();

    /**
     * The highest sequence with a shadow mark for a destination, in any transaction of the caller; null if there is
     * none.
     */
    Long highestShadowed(String destination);

    /** Finds messages, the newest first, in any transaction of the caller. */
    List<OutboxMessage> find(OutboxFilter filter, String messageId);

    /** Finds these messages, the oldest first, in any transaction of the caller. */
    List<OutboxMessage> find(List<Long> sequences);

    /** Finds a page of messages at a bounded cost, in any transaction of the caller. */
    OutboxPage page(OutboxFilter filter);

    /** The same with empty payloads, for a list that the console reads repeatedly. */
    OutboxPage list(OutboxFilter filter);
}
