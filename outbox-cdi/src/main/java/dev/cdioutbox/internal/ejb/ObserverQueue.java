package dev.cdioutbox.internal.ejb;

import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;

import jakarta.enterprise.context.ContextNotActiveException;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.RepeatedLine;

/**
 * The CDI events that wait for the application's observers. One thread at a time fires them, in the order in which they were added,
 * so that an observer that is slow or fails cannot hold up a batch. A thread is asked for when an event comes, and again at a later
 * event or tick if it was refused or has not come. Thread-safe.
 */
final class ObserverQueue {
    private static final Logger LOG = Logger.getLogger(ObserverQueue.class.getName());

    /**
     * In events. They have no payload: the full queue takes some megabytes, and holds twenty batches of the default
     * size.
     */
    static final int CAPACITY = 10_000;

    /** A thread that has not come by then was dropped by its container. If it comes after all, it does no harm. */
    static final Duration LOST_AFTER = Duration.ofSeconds(10);

    private final Queue<Object> waiting = new ArrayBlockingQueue<>(CAPACITY);
    /** When a thread was asked for, in nanoseconds; null if none is on its way. */
    private final AtomicReference<Long> askedAt = new AtomicReference<>();
    /** Whether a thread calls observers. It may hang in one, and no other thread takes its place. */
    private final AtomicBoolean firing = new AtomicBoolean();

    private final RepeatedLine failureLine = new RepeatedLine();
    private final RepeatedLine lossLine = new RepeatedLine();
    /** Whether the application observes events of a class. */
    private final Map<Class<?>, Boolean> observed = new ConcurrentHashMap<>();

    private final Predicate<Object> hasObserver;
    private final Consumer<Object> observers;
    private final Executor threads;
    private final LongSupplier nanos;

    /**
     * @param threads call the observers
     * @param nanos a monotonic clock in nanoseconds
     */
    ObserverQueue(Predicate<Object> hasObserver, Consumer<Object> observers, Executor threads, LongSupplier nanos) {
        this.hasObserver = hasObserver;
        this.observers = observers;
        this.threads = threads;
        this.nanos = nanos;
    }

    /** Fires an event soon, if the application observes it. If the queue is full, the event is lost. */
    void add(Object event) {
        if (!observed.computeIfAbsent(event.getClass(), first -> hasObserver.test(event))) {
            return;
        }
        if (!waiting.offer(event)) {
            int lost = lossLine.due(nanos.getAsLong());
            if (lost > 0) {
                LOG.warning(OutboxCode.EVENTS_LOST.text(lost, name(event), CAPACITY));
            }
        }
        askForThread();
    }

    /** Asks for a thread if events wait for one. Call this from time to time. */
    void tick() {
        if (!waiting.isEmpty()) {
            askForThread();
        }
    }

    /** The name of the interface, by which the application observes an event. */
    private static String name(Object event) {
        return event.getClass().getInterfaces()[0].getSimpleName();
    }

    private void askForThread() {
        Long before = askedAt.get();
        long now = nanos.getAsLong();
        boolean isOnItsWay = before != null && now - before < LOST_AFTER.toNanos();
        if (firing.get() || isOnItsWay || !askedAt.compareAndSet(before, now)) {
            return;
        }
        try {
            threads.execute(this::fireWaiting);
        } catch (RuntimeException refused) {
            askedAt.set(null);
            LOG.log(
                    Level.FINE,
                    "no thread for the application's observers; the next event or tick asks again",
                    refused);
        }
    }

    private void fireWaiting() {
        askedAt.set(null);
        // Once more after each end: an event that was queued just before it has asked for no thread.
        while (!waiting.isEmpty() && firing.compareAndSet(false, true)) {
            try {
                for (Object event = waiting.poll(); event != null; event = waiting.poll()) {
                    fire(event);
                }
            } finally {
                firing.set(false);
            }
        }
    }

    private void fire(Object event) {
        try {
            observers.accept(event);
        } catch (ContextNotActiveException e) {
            LOG.log(Level.FINE, "the application ended before its observers were called", e);
        } catch (RuntimeException | LinkageError | AssertionError e) {
            if (failureLine.due(nanos.getAsLong()) > 0) {
                LOG.log(Level.WARNING, OutboxCode.EVENT_OBSERVER_FAILED.text(name(event), FailureReason.of(e)), e);
            }
        }
    }
}
