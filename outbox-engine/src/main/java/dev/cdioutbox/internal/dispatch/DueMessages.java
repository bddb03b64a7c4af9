package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The messages of one destination that wait for a time. Moves the delayed ones that are due to where claims read them, and has a
 * timer for the next message that becomes due.
 *
 * <p>The database is asked for that time only if it may have changed: a message has failed, a delayed one was committed, or the
 * timer has fired. At most one timer is pending, for the earliest known time: otherwise each run would start a timer, and each
 * timer a run. Thread-safe.
 */
final class DueMessages {
    private static final Logger LOG = Logger.getLogger(DueMessages.class.getName());

    /** Messages that become due one shortly after the other share a run. */
    private static final Duration SHORTEST = Duration.ofMillis(50);

    /** For a later time, the timer fires earlier, and asks again. Times may be thousands of years away. */
    private static final Duration LONGEST = Duration.ofHours(1);

    /**
     * A timer that has not fired by then is given up: the container has lost it, or the server's clock was set back. A busy
     * container is late as well, and a timer that is replaced just before it fires costs one more run.
     */
    private static final Duration LOST_AFTER = Duration.ofSeconds(10);

    private final Callable<Boolean> moveDue;
    private final Callable<Duration> untilNextDue;
    private final LongSupplier nanos;
    private final AtomicBoolean mustAsk = new AtomicBoolean(true);
    private Consumer<Duration> timer = delay -> {};
    /** When the pending timer fires, in nanoseconds; null if none is pending. */
    private Long firesAt;

    /**
     * @param moveDue moves delayed messages that are due, and tells whether it has moved any
     * @param untilNextDue asks the database for the time until the next message is due; null if there is none
     * @param nanos a monotonic clock in nanoseconds
     */
    DueMessages(Callable<Boolean> moveDue, Callable<Duration> untilNextDue, LongSupplier nanos) {
        this.moveDue = moveDue;
        this.untilNextDue = untilNextDue;
        this.nanos = nanos;
    }

    /** @param newTimer starts a timer that fires once after a delay, and cancels the pending one */
    synchronized void use(Consumer<Duration> newTimer) {
        timer = newTimer;
    }

    /**
     * Moves delayed messages that are due.
     *
     * @return whether this call has moved any
     */
    boolean moveDue() throws Exception {
        return moveDue.call();
    }

    /** Starts the timer for messages that are due, but must not be claimed before. */
    void holdBack(Duration delay) {
        start(delay);
    }

    /** A message may have begun to wait for a time: the next claim has to ask. */
    void mustAsk() {
        mustAsk.set(true);
    }

    /** The pending timer has fired. */
    synchronized void fired() {
        firesAt = null;
        mustAsk();
    }

    /**
     * Asks for the next message, if necessary, and starts the timer. If the database does not answer, the next call asks again.
     * Call this before a claim: what becomes due after the question has a timer, and the claim finds the rest.
     */
    void askIfNecessary() {
        giveUpLostTimer();
        if (mustAsk.getAndSet(false) && !ask()) {
            mustAsk();
        }
    }

    private synchronized void giveUpLostTimer() {
        if (firesAt != null && nanos.getAsLong() - firesAt > LOST_AFTER.toNanos()) {
            fired();
        }
    }

    /** @return whether the database has answered, and the timer was started */
    private boolean ask() {
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
