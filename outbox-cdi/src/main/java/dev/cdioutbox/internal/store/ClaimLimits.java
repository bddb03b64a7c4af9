package dev.cdioutbox.internal.store;

import java.time.Duration;

import dev.cdioutbox.internal.config.DispatcherConfig;

/**
 * Where a batch ends.
 *
 * @param lease for how long partitions are taken if nobody renews that; null for as long as a connection holds their locks
 */
public record ClaimLimits(int partitions, int messages, long bytes, Duration lease) {

    public ClaimLimits(int partitions, int messages, long bytes) {
        this(partitions, messages, bytes, null);
    }

    public static ClaimLimits of(DispatcherConfig config) {
        return new ClaimLimits(config.maxPartitions(), config.batchSize(), config.batchMaxBytes(), config.lease());
    }

    /** So that no statement has more parameters; the read of a partition has three. */
    ClaimLimits within(int parameters) {
        return new ClaimLimits(Math.min(partitions, parameters / 3), Math.min(messages, parameters), bytes, lease);
    }
}
