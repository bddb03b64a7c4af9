package dev.cdioutbox.internal.config;

import java.time.Duration;

/**
 * How messages are delivered.
 *
 * @param shadowDestination the logical destination to which everything goes instead of its own, {@link #DISCARD} for none;
 *     null if everything goes where it belongs
 */
public record DispatcherConfig(
        boolean enabled,
        Duration interval,
        int batchSize,
        int batchMaxBytes,
        int maxPartitions,
        Guarantee delivery,
        String shadowDestination) {

    /** As a shadow destination: nowhere. */
    public static final String DISCARD = "discard";

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
