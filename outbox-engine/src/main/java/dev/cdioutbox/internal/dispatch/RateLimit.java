package dev.cdioutbox.internal.dispatch;

import java.time.Duration;

/**
 * How many messages of a destination this node may still claim: a bucket that is filled at the rate, and holds what one second
 * brings. Nobody waits for it: a claim takes what is there, and is made later if that is too little. Thread-safe.
 */
final class RateLimit {
    /** Of a second: claims are not made for fewer messages than come in this time. */
    private static final int CLAIMS_PER_SECOND = 4;

    private static final double NANOS_PER_SECOND = 1e9;

    private double available;
    /** When it was filled last, in nanoseconds; null before the first claim, to which it is full. */
    private Long filledAt;

    /**
     * Takes what a claim may have.
     *
     * @param rate the messages per second
     * @param most the most that the claim takes
     * @return 0 if the claim has to be made later
     */
    synchronized int take(int rate, int most, long nanos) {
        fill(rate, nanos);
        if (available < worthAClaim(rate, most)) {
            return 0;
        }
        int taken = (int) Math.min(most, available);
        available -= taken;
        return taken;
    }

    /** Puts back what a claim has not used. */
    synchronized void giveBack(int messages) {
        available += messages;
    }

    /** The time after the last {@link #take} until a claim is worth it. */
    synchronized Duration untilNext(int rate, int most) {
        double missing = Math.max(0, worthAClaim(rate, most) - available);
        return Duration.ofNanos((long) Math.ceil(missing / rate * NANOS_PER_SECOND));
    }

    private void fill(int rate, long nanos) {
        double since = filledAt == null ? 1 : (nanos - filledAt) / NANOS_PER_SECOND;
        filledAt = nanos;
        available = Math.min(rate, available + since * rate);
    }

    private static int worthAClaim(int rate, int most) {
        return Math.min(most, Math.max(1, rate / CLAIMS_PER_SECOND));
    }
}
