package dev.cdioutbox.internal.store;

import java.time.Duration;

import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.config.OutboxConfig;

/**
 * The limits of a claim: partitions, messages, bytes, and the length of a lease. Concurrent batches share the
 * partitions, and a database may limit the number of parameters.
 *
 * @param lease the duration of a lease between two renewals; null for a claim by row lock
 */
public record ClaimLimits(int partitions, int messages, long bytes, Duration lease) {
    /** A statement that reads as many partitions has 1000 parameters, and SQL Server accepts 2100. */
    public static final int MAX_PARTITIONS = 333;

    /** The limits of one batch by the configuration. Concurrent batches share the partitions. */
    public static ClaimLimits of(OutboxConfig config) {
        DispatcherConfig dispatcher = config.dispatcher();
        int share = Math.max(1, config.store().partitions() / dispatcher.concurrency());
        return new ClaimLimits(
                Math.min(MAX_PARTITIONS, Math.min(dispatcher.maxPartitions(), share)),
                dispatcher.batchSize(),
                dispatcher.batchMaxBytes(),
                dispatcher.lease());
    }
}
