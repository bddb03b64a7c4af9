package dev.cdioutbox.internal.ejb;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;

import jakarta.enterprise.context.ContextNotActiveException;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.RepeatedLine;

/**
 * The CDI events that wait for the application's observers. One thread at a time fires them, in the order in which they were added,
 * so that an observer that is slow or fails cannot hold up a batch. Thread-safe.
 */
final class ObserverQueue {
    private static final Logger LOG = Logger.getLogger(ObserverQueue.class.getName());

    /**
     * In events. They have no payload: the full queue takes some megabytes, and holds twenty batches of the default
     * size.
     */
    static final int CAPACITY = 10_000;

    private final Queue<Object> waiting = new ArrayBlockingQueue<>(CAPACITY);
    private final AtomicBoolean firing = new AtomicBoolean();
    private final RepeatedLine failureLine = new RepeatedLine();
    private final RepeatedLine lossLine = new RepeatedLine();
    /** Whether the application observes events of a class. */
    private final Map<Class<?>, Boolean> observed = new ConcurrentHashMap<>();

    private final Predicate<Object> hasObserver;
    private final Consumer<Object> observers;
    private final Executor threads;

    /** @param threads call the observers */
    ObserverQueue(Predicate<Object> hasObserver, Consumer<Object> observers, Executor threads) {
        this.hasObserver = hasObserver;
        this.observers = observers;
        this.threads = threads;
    }

    /** Fires an event soon, if the application observes it. If the queue is full, the event is lost. */
    void add(Object event) {
        if (!observed.computeIfAbsent(event.getClass(), first -> hasObserver.test(event))) {
            return;
        }
        if (!waiting.offer(event)) {
            int lost = lossLine.due(System.nanoTime());
            if (lost > 0) {
                LOG.warning(OutboxCode.EVENTS_LOST.text(lost, name(event), CAPACITY));
            }
        }
        if (firing.compareAndSet(false, true)) {
            start();
        }
    }

    /** The name of the interface, by which the application observes an event. */
    private static String name(Object event) {
        return event.getClass().getInterfaces()[0].getSimpleName();
    }

    private void start() {
        try {
            threads.execute(this::fireWaiting);
        } catch (RuntimeException refused) {
            firing.set(false);
            LOG.log(Level.FINE, "no thread for the application's observers; the next event asks again", refused);
        }
    }

    private void fireWaiting() {
        do {
            try {
                for (Object event = waiting.poll(); event != null; event = waiting.poll()) {
                    fire(event);
                }
            } finally {
                firing.set(false);
            }
            // An event queued between the last poll and the line above has started no thread.
        } while (!waiting.isEmpty() && firing.compareAndSet(false, true));
    }

    private void fire(Object event) {
        try {
            observers.accept(event);
        } catch (ContextNotActiveException e) {
            LOG.log(Level.FINE, "the application ended before its observers were called", e);
        } catch (RuntimeException | LinkageError | AssertionError e) {
            if (failureLine.due(System.nanoTime()) > 0) {
                LOG.log(Level.WARNING, OutboxCode.EVENT_OBSERVER_FAILED.text(name(event), FailureReason.of(e)), e);
            }
        }
    }
}
