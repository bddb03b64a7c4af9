package dev.cdioutbox.internal.observe;

import java.time.Duration;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.internal.dispatch.DispatchListener;

/**
 * What was last seen, for a scrape that never asks the database. Ages grow from the moment of the last reading, so that
 * they rise when the dispatcher is dead. Thread-safe.
 */
public final class Gauges implements DispatchListener {
    private volatile Reading reading;
    private volatile Long lastTick;

    /** From now on the timer is expected to call. */
    public void expectTicks() {
        lastTick = System.nanoTime();
    }

    /** Whether this application dispatches at all. */
    public boolean isDispatching() {
        return lastTick != null;
    }

    @Override
    public void ticked() {
        lastTick = System.nanoTime();
    }

    @Override
    public void backlog(OutboxBacklog backlog) {
        reading = new Reading(backlog, System.nanoTime());
    }

    public int pending() {
        return reading == null ? 0 : reading.backlog().pending();
    }

    public int failed() {
        return reading == null ? 0 : reading.backlog().failed();
    }

    public int abandoned() {
        return reading == null ? 0 : reading.backlog().abandoned();
    }

    /** How many destinations an operator paused. */
    public int paused() {
        return reading == null ? 0 : reading.backlog().paused().size();
    }

    public double oldestPendingAgeSeconds() {
        Reading last = reading;
        if (last == null || last.backlog().oldest() == null) {
            return 0;
        }
        Duration atReading =
                Duration.between(last.backlog().oldest(), last.backlog().readAt());
        return Math.max(0, seconds(atReading.toNanos() + System.nanoTime() - last.nanos()));
    }

    public double lastTickAgeSeconds() {
        Long last = lastTick;
        return last == null ? 0 : seconds(System.nanoTime() - last);
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }

    private record Reading(OutboxBacklog backlog, long nanos) {}
}
