package dev.cdioutbox.internal.store;

import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;

/**
 * Partitions of one destination that only this node reads until the claim is closed, and their due messages. Used by one
 * thread.
 */
public interface Claim extends AutoCloseable {

    /** The ids of the locked partitions. */
    List<Integer> partitions();

    /** The due messages, for each key in order and without a gap. */
    List<OutboxMessage> messages();

    /**
     * The partition after which the next claim begins: the last one with a message in this batch.
     *
     * @param none the result if there is no such partition
     */
    int lastServedPartition(int none);

    /** The same for a batch that ended before one of its messages. */
    int lastServedPartitionBefore(OutboxMessage message, int none);

    /** Rows that cannot be decoded, with the reason. */
    Map<Long, String> undecodable();

    /** The sequences of all rows of the batch. */
    Set<Long> sequences();

    /** The database's clock; null if the claim is empty. */
    DatabaseClock clock();

    boolean isEmpty();

    /**
     * Whether queue maintenance moved messages, so that the next claim may find due messages where this one did not.
     */
    boolean maintained();

    /** The lease, which must be renewed while the batch is sent; null for a claim by row lock. */
    Lease lease();

    /**
     * Removes the rows that another transaction locks, and their followers: only a delivery in doubt can lock them, and
     * its keys wait for the outcome. If these were all rows of a queue that has more, the claim reads again without
     * them.
     *
     * @param lockable the sequences of the rows that are not locked now
     * @return whether rows were read again, so that they have to be probed too
     */
    boolean removeUnlockable(Set<Long> lockable);

    /** Gives the partitions back. */
    @Override
    void close();
}
