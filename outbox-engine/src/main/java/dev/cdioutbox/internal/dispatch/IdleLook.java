package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;

/**
 * Asks whether anything waits, for all idle workers of an outbox at once. Workers that are polled at about the same time share
 * one statement, however many they are, and only those for which something waits claim. Thread-safe.
 */
final class IdleLook {
    /** A look may be as old as this part of the interval, so a worker sees a message by this much later than with a claim. */
    private static final int OF_INTERVAL = 5;

    private final Callable<Set<String>> waiting;
    private final LongSupplier nanos;
    /** The destinations that have used the last look. */
    private final Set<String> served = new HashSet<>();

    private long lookedAt;
    /** The result of the last look; null before the first one, and after one that has failed. */
    private Set<String> found;

    /**
     * @param waiting asks the database for the destinations for which a claim may find something
     * @param nanos a monotonic clock in nanoseconds
     */
    IdleLook(Callable<Set<String>> waiting, LongSupplier nanos) {
        this.waiting = waiting;
        this.nanos = nanos;
    }

    /**
     * Whether a claim may find something. A worker never gets the same look twice.
     *
     * @param interval the time between two polls of the destination
     * @throws Exception if the database fails
     */
    synchronized boolean finds(String destination, Duration interval) throws Exception {
        long now = nanos.getAsLong();
        if (found == null || served.contains(destination) || now - lookedAt > interval.toNanos() / OF_INTERVAL) {
            served.clear();
            lookedAt = now;
            found = null;
            found = waiting.call();
        }
        served.add(destination);
        return found.contains(destination);
    }
}
