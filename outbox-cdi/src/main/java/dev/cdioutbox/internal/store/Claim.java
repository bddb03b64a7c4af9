package dev.cdioutbox.internal.store;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.config.OutboxConfig;

/**
 * Partitions of one destination, with their due messages. Only this node reads the partitions until the claim is
 * closed. One thread uses a claim.
 */
public interface Claim extends AutoCloseable {

    /** The ids of the locked partitions. */
    List<Integer> partitions();

    /** The due messages, for each key in order and without a gap. */
    List<OutboxMessage> messages();

    /**
     * The partition after which the next claim begins: the last one that this batch serves. Records where the next
     * batch begins within each partition.
     *
     * @param next the first message that was not sent; null if the batch was complete
     * @param none the result if there is no such partition
     */
    int recordEnd(OutboxMessage next, int none);

    /** Unreadable rows by sequence, with the reason. */
    Map<Long, String> unreadable();

    /** The sequences of the rows that need a lock probe: another transaction may have locked or settled them. */
    Set<Long> perhapsLocked();

    /** The database's clock; null if the claim is empty. */
    DatabaseClock clock();

    boolean isEmpty();

    /**
     * Whether the claim has read all that is due in its partitions, has left out no row that could be due soon, and has room
     * left.
     */
    boolean isComplete();

    /** Whether messages of the range also wait in partitions that are locked, or above the limit of partitions. */
    boolean foundLocked();

    /**
     * Whether queue maintenance moved messages, so that the next claim may find due messages where this one did not.
     */
    boolean maintained();

    /** Whether delayed messages of the destination are due: {@link OutboxStore#releaseDelayed} moves them. */
    boolean delayedAreDue();

    /** The lease, which the dispatcher must renew during the send; null for a claim by row lock. */
    Lease lease();

    /**
     * Removes rows that another transaction locks, most likely one in doubt, and the later rows of their keys. If no row of
     * a queue is left, the claim reads again without the locked ones.
     *
     * @param lockable the sequences of the unlocked rows
     * @return whether the claim has read again, so that the new rows need a lock probe too
     */
    boolean removeUnlockable(Set<Long> lockable);

    /** Releases the partitions. */
    @Override
    void close();

    /**
     * The limits of a claim: partitions, messages, bytes, and the length of a lease.
     *
     * @param range the partitions to look at
     * @param lease the duration of a lease between two renewals; null for a claim by row lock
     */
    record Limits(PartitionRange range, int partitions, int messages, long bytes, Duration lease) {
        /** A statement that reads as many partitions has twice as many parameters, and SQL Server accepts 2100. */
        public static final int MAX_PARTITIONS = 333;

        /** The limits of one batch by the configuration. Concurrent batches share the partitions. */
        public static Limits of(OutboxConfig config) {
            DispatcherConfig dispatcher = config.dispatcher();
            int share = Math.max(1, config.store().partitions() / dispatcher.concurrency());
            return new Limits(
                    PartitionRange.ALL,
                    Math.min(MAX_PARTITIONS, Math.min(dispatcher.maxPartitions(), share)),
                    dispatcher.batchSize(),
                    dispatcher.batchMaxBytes(),
                    dispatcher.lease());
        }

        public Limits within(PartitionRange some) {
            return new Limits(some, partitions, messages, bytes, lease);
        }
    }

    /** The partitions of a destination from one id to another, both included. */
    record PartitionRange(int first, int last) {
        public static final PartitionRange NONE = new PartitionRange(Integer.MAX_VALUE, 0);
        public static final PartitionRange ALL = new PartitionRange(0, Integer.MAX_VALUE);

        /** The smallest range that contains these partitions, at least one. */
        public static PartitionRange of(Collection<Integer> partitions) {
            return new PartitionRange(Collections.min(partitions), Collections.max(partitions));
        }

        /** The smallest range that contains both. */
        public PartitionRange and(PartitionRange other) {
            return new PartitionRange(Math.min(first, other.first), Math.max(last, other.last));
        }
    }

    /**
     * A claim by a row's content instead of its lock: the owner of some partitions, until a time by the database's
     * clock.
     *
     * @param owner an id that is unique for each claim, which distinguishes two claims of one node
     * @param length the time from a renewal to the end
     */
    record Lease(String owner, List<Integer> partitions, Duration length) {

        public Lease {
            partitions = List.copyOf(partitions);
        }
    }
}
