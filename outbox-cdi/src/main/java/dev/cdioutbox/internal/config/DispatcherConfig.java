package dev.cdioutbox.internal.config;

import java.time.Duration;

public record DispatcherConfig(
        boolean enabled, Duration interval, int batchSize, int batchMaxBytes, int maxPartitions, Guarantee delivery) {

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
