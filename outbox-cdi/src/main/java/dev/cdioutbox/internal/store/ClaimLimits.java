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

    /** The limits of one batch by the configuration. Concurrent batches share the partitions. */
    public static ClaimLimits of(OutboxConfig config) {
        DispatcherConfig dispatcher = config.dispatcher();
        int share = Math.max(1, config.store().partitions() / dispatcher.concurrency());
        return new ClaimLimits(
                Math.min(dispatcher.maxPartitions(), share),
                dispatcher.batchSize(),
                dispatcher.batchMaxBytes(),
                dispatcher.lease());
    }

    /** Caps the limits for databases that limit the number of parameters; the read of a partition has three. */
    public ClaimLimits cappedAt(int parameters) {
        return new ClaimLimits(Math.min(partitions, parameters / 3), Math.min(messages, parameters), bytes, lease);
    }
}
