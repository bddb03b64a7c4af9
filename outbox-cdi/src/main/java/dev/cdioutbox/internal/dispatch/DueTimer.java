package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The timer of one worker for the next message that becomes due. It asks the database for that time before a claim, if a
 * message has failed, a delayed one was committed, or the timer has fired since it asked last. At most one timer is pending,
 * for the earliest known time: otherwise each run would start a timer, and each timer a run. Thread-safe.
 */
final class DueTimer {
    private static final Logger LOG = Logger.getLogger(DueTimer.class.getName());

    /** Messages that become due one shortly after the other share a run. */
    private static final Duration SHORTEST = Duration.ofMillis(50);

    /** For a later time, the timer fires earlier, and asks again. Times may be thousands of years away. */
    private static final Duration LONGEST = Duration.ofHours(1);

    private final Callable<Duration> untilNextDue;
    private final LongSupplier nanos;
    private Consumer<Duration> timer = delay -> {};
    /** When the pending timer fires, in nanoseconds; null if none is pending. */
    private Long firesAt;

    /**
     * @param untilNextDue asks the database for the time until the next message is due; null if there is none
     * @param nanos a monotonic clock in nanoseconds
     */
    DueTimer(Callable<Duration> untilNextDue, LongSupplier nanos) {
        this.untilNextDue = untilNextDue;
        this.nanos = nanos;
    }

    /** @param newTimer fires once after a delay, in place of the pending one */
    synchronized void use(Consumer<Duration> newTimer) {
        timer = newTimer;
    }

    /** The pending timer has fired. */
    synchronized void fired() {
        firesAt = null;
    }

    /**
     * Asks for the next message and starts the timer, if necessary.
     *
     * @return whether the database has answered
     */
    boolean ask() {
        try {
            Duration untilDue = untilNextDue.call();
            if (untilDue != null) {
                start(untilDue);
            }
            return true;
        } catch (Exception e) {
            LOG.log(Level.FINE, "the message that is due next waits for a poll", e);
            return false;
        }
    }

    /** Two readings of one due time differ by some milliseconds, so a small difference is no earlier time. */
    private synchronized void start(Duration untilDue) {
        Duration atLeast = untilDue.compareTo(SHORTEST) < 0 ? SHORTEST : untilDue;
        Duration delay = atLeast.compareTo(LONGEST) > 0 ? LONGEST : atLeast;
        long at = nanos.getAsLong() + delay.toNanos();
        if (firesAt == null || at - firesAt < -SHORTEST.toNanos()) {
            timer.accept(delay);
            firesAt = at;
        }
    }
}
