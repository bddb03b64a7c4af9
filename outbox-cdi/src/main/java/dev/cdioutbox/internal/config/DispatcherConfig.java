package dev.cdioutbox.internal.config;

import java.time.Duration;

/**
 * How messages are delivered.
 *
 * @param concurrency how many batches for one destination this node delivers at a time
 * @param shadowDestination the logical destination to which everything goes instead of its own, {@link #DISCARD} for none;
 *     null if everything goes where it belongs
 * @param lease how long a claim lasts without a renewal; null if it is a row lock
 */
public record DispatcherConfig(
        boolean enabled,
        Duration interval,
        int batchSize,
        int batchMaxBytes,
        int maxPartitions,
        int concurrency,
        Guarantee delivery,
        String shadowDestination,
        Duration lease) {

    /** As a shadow destination: nowhere. */
    public static final String DISCARD = "discard";

    public enum ClaimBy {
        /** A row lock, which dies with its connection. */
        LOCK,
        /** A row that says who and until when. */
        LEASE
    }

    public enum Guarantee {
        /** Send and settle in one XA transaction. */
        EXACTLY_ONCE,
        /** Settle in a transaction of its own, after the broker's commit. */
        AT_LEAST_ONCE;

        @Override
        public String toString() {
            return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
        }
    }
}
