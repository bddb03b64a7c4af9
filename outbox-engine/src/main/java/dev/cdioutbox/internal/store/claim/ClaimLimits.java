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
    /** A statement that reads as many partitions has twice as many parameters, and SQL Server accepts 2100. */
    public static final int MAX_PARTITIONS = 333;

    /** The most blocked keys whose queues a claim reads beside those of its partitions. */
    private static final int MAX_BLOCKED_KEYS = 64;

    public ClaimLimits(PartitionRange range, int partitions, int messages, long bytes) {
        this(range, partitions, messages, bytes, Integer.MAX_VALUE);
    }

    /**
     * The limits of one batch by the configuration.
     *
     * @param threads how many threads of this node may send to the destination at a time, and share its partitions
     */
    public static ClaimLimits of(OutboxConfig config, int threads) {
        DispatcherConfig dispatcher = config.dispatcher();
        RetryConfig retry = config.retry();
        int share = Math.max(1, config.store().partitions() / threads);
        return new ClaimLimits(
                PartitionRange.ALL,
                Math.min(MAX_PARTITIONS, Math.min(dispatcher.maxPartitions(), share)),
                dispatcher.batchSize(),
                dispatcher.batchMaxBytes(),
                retry.blockOnAbandon() ? Integer.MAX_VALUE : retry.maxAttempts() - 1);
    }

    /** How many claims it takes to visit all partitions. */
    public static int rounds(OutboxConfig config, int threads) {
        int each = of(config, threads).partitions;
        return (config.store().partitions() + each - 1) / each;
    }

    /** How many blocked keys a claim reads in each of so many partitions. */
    static int blockedKeysOfEach(int partitions) {
        return Math.max(1, MAX_BLOCKED_KEYS / partitions);
    }

    public ClaimLimits within(PartitionRange some) {
        return new ClaimLimits(some, partitions, messages, bytes, lastAttempt);
    }
}
