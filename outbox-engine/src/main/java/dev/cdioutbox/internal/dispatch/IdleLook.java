package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Asks whether anything waits, for all idle workers of an outbox at once. Workers that are polled at about the same time share
 * one statement, however many they are, and only those for which something waits claim. If the look fails or takes long, they
 * claim as well: that reports the failure, and a connection that hangs holds up no other worker. Thread-safe.
 */
final class IdleLook {
    private static final Logger LOG = Logger.getLogger(IdleLook.class.getName());

    /** A look may be as old as this part of the interval, so a worker sees a message by this much later than with a claim. */
    private static final int OF_INTERVAL = 5;

    /** How long a worker waits for the look of another one. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Callable<Set<String>> waiting;
    private final LongSupplier nanos;

    /** Guards the fields below it. */
    private final ReentrantLock looking = new ReentrantLock();
    /** The destinations that have used the last look. */
    private final Set<String> served = new HashSet<>();
    /** Null before the first one. */
    private Look last;

    /**
     * @param begun the monotonic time at which it was begun, in nanoseconds
     * @param found the destinations for which something waits; null if the look has failed
     */
    private record Look(long begun, Set<String> found) {
        boolean finds(String destination) {
            return found == null || found.contains(destination);
        }
    }

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
     */
    boolean finds(String destination, Duration interval) throws InterruptedException {
        // Before it waits, so that those who have waited for a long look share it.
        long arrived = nanos.getAsLong();
        if (!looking.tryLock(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
            return true;
        }
        try {
            if (last == null
                    || served.contains(destination)
                    || arrived - last.begun > interval.toNanos() / OF_INTERVAL) {
                last = look();
                served.clear();
            }
            served.add(destination);
            return last.finds(destination);
        } finally {
            looking.unlock();
        }
    }

    private Look look() {
        long begun = nanos.getAsLong();
        try {
            return new Look(begun, waiting.call());
        } catch (Exception e) {
            LOG.log(Level.FINE, "the look for waiting messages has failed; the workers claim", e);
            return new Look(begun, null);
        }
    }
}
