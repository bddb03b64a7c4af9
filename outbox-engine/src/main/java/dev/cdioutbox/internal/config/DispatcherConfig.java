package dev.cdioutbox.internal.config;

import java.time.Duration;

/**
 * The settings of dispatch: whether it is on, its interval, the size of a batch, the rate, the threads, the delivery mode, the
 * claim, and the shadow destination.
 *
 * @param rate the messages per second that this node sends at most to a destination; null without a limit
 * @param concurrency the number of batches for one destination that this node delivers at a time
 * @param shadowDestination the shadow destination, which gets all messages; {@link #DISCARD} for none; null without
 *     shadowing
 * @param lease the duration of a claim without a renewal; null if claims are row locks
 */
public record DispatcherConfig(
        boolean enabled,
        Duration interval,
        int batchSize,
        int batchMaxBytes,
        Integer rate,
        int maxPartitions,
        int concurrency,
        Guarantee delivery,
        String shadowDestination,
        Duration lease) {

    /** The shadow destination for: send nowhere. */
    public static final String DISCARD = "discard";

    public boolean hasRate() {
        return rate != null;
    }

    /** The destination that really gets the messages of a destination. */
    public String targetOf(String destination) {
        return shadowDestination == null ? destination : shadowDestination;
    }

    public enum Guarantee {
        /** Send and settle in one XA transaction, or by markers that the transport commits with each batch. */
        EXACTLY_ONCE,
        /** Settle in a second transaction, after the broker's commit. */
        AT_LEAST_ONCE;

        @Override
        public String toString() {
            return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
        }
    }
}
