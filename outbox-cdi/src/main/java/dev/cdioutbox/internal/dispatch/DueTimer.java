package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * The timer of one worker for the next message that becomes due. A worker asks the database for that time before a
 * claim, if a message has failed, a delayed one was committed, or the timer has fired since it asked last. At most one timer
 * is pending, for the earliest known time: otherwise each run would start another one, and each of them a further run.
 * Thread-safe.
 */
final class DueTimer {
    /** Messages that become due one shortly after the other share a run. */
    private static final Duration SHORTEST = Duration.ofMillis(50);

    /** For a later time, the timer fires earlier, and the worker asks again. Times may be thousands of years away. */
    private static final Duration LONGEST = Duration.ofHours(1);

    private boolean hasToAsk = true;
    /** When the pending timer fires, in nanoseconds; null if none is pending. */
    private Long firesAt;

    /** Lets the next turn ask for the next due message: one may have begun to wait. */
    synchronized void ask() {
        hasToAsk = true;
    }

    /** @return whether the calling thread has to ask. An idle worker has no reason to do so */
    synchronized boolean takeQuestion() {
        boolean taken = hasToAsk;
        hasToAsk = false;
        return taken;
    }

    /**
     * Starts the timer, unless one that fires as early is pending. Two readings of one due time differ by some
     * milliseconds, so a small difference is no earlier time.
     *
     * @param untilDue the time until the next message is due
     * @param start starts the timer with a delay, in place of the pending one
     */
    synchronized void start(Duration untilDue, long now, Consumer<Duration> start) {
        Duration atLeast = untilDue.compareTo(SHORTEST) < 0 ? SHORTEST : untilDue;
        Duration delay = atLeast.compareTo(LONGEST) > 0 ? LONGEST : atLeast;
        long at = now + delay.toNanos();
        if (firesAt == null || at - firesAt < -SHORTEST.toNanos()) {
            start.accept(delay);
            firesAt = at;
        }
    }

    /** The pending timer has fired. */
    synchronized void fired() {
        firesAt = null;
        hasToAsk = true;
    }
}
