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
 * Partitions of one destination, with their due messages. Only this node reads the partitions until the claim is closed. One
 * thread uses a claim.
 *
 * @param partitions the ids of the partitions, in the order of service
 * @param messages the due messages, for each key in order and without a gap
 * @param partitionOf the partition of each message, by sequence
 * @param unreadable the unreadable rows
 * @param unfinishedSends how often a send of a message was begun and did not end, by sequence; without the zeros
 * @param inDoubt the rows that the claim has left out with their keys, because another transaction locks them: most likely one
 *     in doubt. Empty with a lease, whose deliveries leave none
 * @param clock the database's clock; null if the claim is empty
 * @param isComplete whether the claim has read all that is due in its partitions, has left out no row that could be due soon,
 *     and has room left
 * @param foundLocked whether messages of the range also wait in partitions that are locked, or above the limit of partitions
 * @param delayedAreDue whether delayed messages of the destination are due: {@link DelayedStore#release} moves them
 * @param lease the lease, which the settlement has to prove; null for a claim by row lock
 * @param lastPartition the last partition that this batch serves, after which the next claim begins
 * @param hold what keeps the partitions
 */
public record Claim(
        List<Integer> partitions,
        List<OutboxMessage> messages,
        Map<Long, Integer> partitionOf,
        List<Unreadable> unreadable,
        Map<Long, Integer> unfinishedSends,
        Set<Long> inDoubt,
        DatabaseClock clock,
        boolean isComplete,
        boolean foundLocked,
        boolean delayedAreDue,
        Lease lease,
        int lastPartition,
        Hold hold)
        implements AutoCloseable {

    public boolean isEmpty() {
        return messages.isEmpty() && unreadable.isEmpty();
    }

    /**
     * The partition after which the next claim begins if the batch was cut short.
     *
     * @param left the first message that is left
     * @param none the result if no message was sent
     */
    public int lastPartitionBefore(OutboxMessage left, int none) {
        int sent = messages.indexOf(left);
        return sent == 0 ? none : partitionOf.get(messages.get(sent - 1).sequence());
    }

    /**
     * Maintains the blocked keys that the claim has met. The batch must be over, and the partitions may be free after this.
     *
     * @return whether the next claim may find due messages where this one did not
     */
    public boolean maintain() {
        return hold.maintain();
    }

    /**
     * Does the maintenance that is left, and releases the partitions.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0302 if the maintenance fails; a failure of the release has no effect
     */
    @Override
    public void close() {
        hold.close();
    }

    /**
     * A row that cannot be read as a message.
     *
     * @param attempts the charged attempts: a message may become unreadable after it has failed
     * @param problem the reason why it is unreadable
     */
    public record Unreadable(long sequence, int attempts, String problem) {}

    /** What keeps the partitions of a claim from other nodes. */
    public interface Hold {
        boolean maintain();

        void close();
    }

    /**
     * Calls {@link SettlementStore#lockable} on another connection than the claim has. The claim does not know how: in a container,
     * both would get the same one.
     */
    public interface LockProbe {
        Set<Long> lockable(Collection<Long> sequences) throws Exception;
    }

    /**
     * The limits of a claim: partitions, messages, bytes, and the length of a lease.
     *
     * @param range the partitions to look at
     * @param lease the duration of a lease between two renewals; null for a claim by row lock
     */
    public record Limits(PartitionRange range, int partitions, int messages, long bytes, Duration lease) {
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

    /**
     * The partitions of a destination from one id to another, both included. A set would be more precise, but only PostgreSQL
     * has arrays for it. Without a range, each claim after a single event searches all partitions, which took a quarter of
     * PostgreSQL's CPU.
     */
    public record PartitionRange(int first, int last) {
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
    public record Lease(String owner, List<Integer> partitions, Duration length) {

        public Lease {
            partitions = List.copyOf(partitions);
        }
    }
}
