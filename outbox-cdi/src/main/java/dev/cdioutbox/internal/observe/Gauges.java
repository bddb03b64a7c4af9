package dev.cdioutbox.internal.observe;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.internal.dispatch.DispatchListener;

/**
 * What was last seen, for a scrape or a health check that never asks the database. Ages grow from the moment of the last
 * look, so that they rise when the dispatcher or the database is dead. Thread-safe.
 */
public final class Gauges implements DispatchListener {
    private final LongSupplier nanos;
    private final AtomicInteger partitionsHeld = new AtomicInteger();
    private volatile Reading reading;
    private volatile Look look;
    private volatile Long lastTick;

    public Gauges() {
        this(System::nanoTime);
    }

    /**
     * @param nanos a clock that only goes forward
     */
    public Gauges(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** From now on the timer is expected to call. The tables were looked at when the application was deployed. */
    public void expectTicks() {
        lastTick = nanos.getAsLong();
        look = new Look(null, nanos.getAsLong());
    }

    /** Whether this application dispatches at all. */
    public boolean isDispatching() {
        return lastTick != null;
    }

    @Override
    public void ticked() {
        lastTick = nanos.getAsLong();
    }

    @Override
    public void claimed(String destination, int partitions, Duration took) {
        partitionsHeld.addAndGet(partitions);
    }

    @Override
    public void released(String destination, int partitions) {
        partitionsHeld.addAndGet(-partitions);
    }

    @Override
    public void storeSeen(String problem) {
        look = new Look(problem, nanos.getAsLong());
    }

    @Override
    public void backlog(OutboxBacklog backlog) {
        reading = new Reading(backlog, nanos.getAsLong());
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

    /** Whether the backlog was ever read. */
    public boolean isBacklogKnown() {
        return reading != null;
    }

    /** How many partitions this node has claimed at this moment. */
    public int partitionsHeld() {
        return partitionsHeld.get();
    }

    /** What was wrong with the tables when they were last looked at; null if nothing was, or nobody looked yet. */
    public String storeProblem() {
        Look last = look;
        return last == null ? null : last.problem();
    }

    /** How long ago the tables were last looked at: for long, if the database does not answer. */
    public double lastLookAgeSeconds() {
        Look last = look;
        return last == null ? Double.POSITIVE_INFINITY : seconds(nanos.getAsLong() - last.nanos());
    }

    public double oldestPendingAgeSeconds() {
        Reading last = reading;
        if (last == null || last.backlog().oldest() == null) {
            return 0;
        }
        Duration atReading =
                Duration.between(last.backlog().oldest(), last.backlog().readAt());
        return Math.max(0, seconds(atReading.toNanos() + nanos.getAsLong() - last.nanos()));
    }

    public double lastTickAgeSeconds() {
        Long last = lastTick;
        return last == null ? 0 : seconds(nanos.getAsLong() - last);
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }

    private record Reading(OutboxBacklog backlog, long nanos) {}

    private record Look(String problem, long nanos) {}
}
