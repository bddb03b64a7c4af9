package dev.cdioutbox.internal.store.claim;

import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.RetryConfig;

/**
 * The limits of a claim.
 *
 * @param range the partitions to look at
 * @param lastAttempt the attempts that a message has when only one is left, after which its followers are sent
 */
public record ClaimLimits(PartitionRange range, int partitions, int messages, long bytes, int lastAttempt) {
    /** A statement has two parameters for each partition that it reads, and so stays below the strictest limit of a database, 1,000. */
    public static final int MAX_PARTITIONS = 333;

    /**
     * So many claims at a time may hold all partitions, unless one node has more threads. With more of them, each would be a
     * transaction for a few messages, and more messages would be sent singly after a crash.
     */
    private static final int MOST_SHARES = 16;

    /** How many blocked keys a claim reads beside its partitions; more if it has more partitions, since it reads one for each. */
    private static final int MAX_BLOCKED_KEYS = 64;

    public ClaimLimits(PartitionRange range, int partitions, int messages, long bytes) {
        this(range, partitions, messages, bytes, Integer.MAX_VALUE);
    }

    /**
     * The limits of one batch by the configuration. The claims of all threads and nodes share the partitions: otherwise the first
     * ones would hold all partitions, and the others find nothing.
     *
     * @param threads how many threads of a node may send to the destination at a time
     * @param nodes the number of living nodes; 0 if it is unknown
     */
    public static ClaimLimits of(OutboxConfig config, int threads, int nodes) {
        DispatcherConfig dispatcher = config.dispatcher();
        RetryConfig retry = config.retry();
        int shares = Math.max(threads, Math.min(MOST_SHARES, threads * nodes));
        int share = Math.max(1, config.store().partitions() / shares);
        return new ClaimLimits(
                PartitionRange.ALL,
                Math.min(MAX_PARTITIONS, Math.min(dispatcher.maxPartitions(), share)),
                dispatcher.batchSize(),
                dispatcher.batchMaxBytes(),
                retry.blockOnAbandon() ? Integer.MAX_VALUE : retry.maxAttempts() - 1);
    }

    /** How many claims it takes to visit all partitions. */
    public int rounds(OutboxConfig config) {
        return (config.store().partitions() + partitions - 1) / partitions;
    }

    /** How many blocked keys a claim reads in each of so many partitions. */
    static int blockedKeysOfEach(int partitions) {
        return Math.max(1, MAX_BLOCKED_KEYS / partitions);
    }

    /** The same for fewer messages. */
    public ClaimLimits of(int fewer) {
        return new ClaimLimits(range, partitions, fewer, bytes, lastAttempt);
    }

    public ClaimLimits within(PartitionRange some) {
        return new ClaimLimits(some, partitions, messages, bytes, lastAttempt);
    }
}
