package dev.cdioutbox.internal.observe;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToIntFunction;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.internal.config.OutboxKeys;
import dev.cdioutbox.internal.dispatch.DispatchListener;

/**
 * What was last seen, for a scrape that never asks the database. Ages grow from the moment of the last reading, so that
 * they rise when the dispatcher is dead. Thread-safe.
 */
public final class Gauges implements DispatchListener {
    private final Map<String, Reading> readings = new ConcurrentHashMap<>();
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
        backlog(OutboxKeys.DEFAULT_OUTBOX, backlog);
    }

    /** The backlog of one outbox; what is shown is that of all together. */
    void backlog(String outbox, OutboxBacklog backlog) {
        readings.put(outbox, new Reading(backlog, System.nanoTime()));
    }

    public int pending() {
        return sum(OutboxBacklog::pending);
    }

    public int failed() {
        return sum(OutboxBacklog::failed);
    }

    public int abandoned() {
        return sum(OutboxBacklog::abandoned);
    }

    /** How many destinations an operator paused. */
    public int paused() {
        return sum(backlog -> backlog.paused().size());
    }

    public double oldestPendingAgeSeconds() {
        long now = System.nanoTime();
        return readings.values().stream()
                .mapToDouble(reading -> reading.oldestAgeSeconds(now))
                .max()
                .orElse(0);
    }

    private int sum(ToIntFunction<OutboxBacklog> what) {
        return readings.values().stream().map(Reading::backlog).mapToInt(what).sum();
    }

    public double lastTickAgeSeconds() {
        Long last = lastTick;
        return last == null ? 0 : seconds(System.nanoTime() - last);
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }

    private record Reading(OutboxBacklog backlog, long nanos) {
        double oldestAgeSeconds(long now) {
            if (backlog.oldest() == null) {
                return 0;
            }
            Duration atReading = Duration.between(backlog.oldest(), backlog.readAt());
            return Math.max(0, seconds(atReading.toNanos() + now - nanos));
        }
    }
}
