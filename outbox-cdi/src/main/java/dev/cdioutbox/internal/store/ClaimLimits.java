package dev.cdioutbox.internal.store;

import java.time.Duration;

import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.config.OutboxConfig;

/**
 * Where a batch ends.
 *
 * @param lease for how long partitions are taken if nobody renews that; null for as long as a connection holds their locks
 */
public record ClaimLimits(int partitions, int messages, long bytes, Duration lease) {

    public ClaimLimits(int partitions, int messages, long bytes) {
        this(partitions, messages, bytes, null);
    }

    /** With several batches at a time, each leaves partitions to the others. */
    public static ClaimLimits of(OutboxConfig config) {
        DispatcherConfig dispatcher = config.dispatcher();
        int share = Math.max(1, config.store().partitions() / dispatcher.concurrency());
        return new ClaimLimits(
                Math.min(dispatcher.maxPartitions(), share),
                dispatcher.batchSize(),
                dispatcher.batchMaxBytes(),
                dispatcher.lease());
    }

    /** So that no statement has more parameters; the read of a partition has three. */
    ClaimLimits cappedAt(int parameters) {
        return new ClaimLimits(Math.min(partitions, parameters / 3), Math.min(messages, parameters), bytes, lease);
    }
}
