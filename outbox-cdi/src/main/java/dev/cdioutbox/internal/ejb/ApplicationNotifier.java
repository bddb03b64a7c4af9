package dev.cdioutbox.internal.ejb;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;

import jakarta.enterprise.context.ContextNotActiveException;
import jakarta.enterprise.inject.spi.BeanManager;

import dev.cdioutbox.DestinationFailing;
import dev.cdioutbox.DestinationRecovered;
import dev.cdioutbox.MessageAbandoned;
import dev.cdioutbox.MessagePublished;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.RepeatedLine;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.Retry;
import dev.cdioutbox.spi.DestinationId;

/**
 * Fires CDI events for the application's own observers. The dispatcher's threads only put them into a queue; an observer
 * that is slow or fails on its own thread cannot hold up a batch. Without an observer, nothing is queued. This is no CDI
 * bean, because one with an EJB reference fails a deployment on Open Liberty with the feature mdb alone (CWNEN1007E).
 * Thread-safe.
 */
final class ApplicationNotifier implements DispatchListener {
    private static final Logger LOG = Logger.getLogger(ApplicationNotifier.class.getName());

    /**
     * In events. They have no payload: the full queue takes some megabytes, and holds twenty batches of the default
     * size.
     */
    static final int CAPACITY = 10_000;

    private final Queue<Object> waiting = new ArrayBlockingQueue<>(CAPACITY);
    private final AtomicBoolean firing = new AtomicBoolean();
    private final RepeatedLine failureLine = new RepeatedLine();
    private final RepeatedLine lossLine = new RepeatedLine();
    /** The destinations that may be at fault, until a delivery. */
    private final Map<DestinationId, Held> held = new ConcurrentHashMap<>();

    private final Map<Class<?>, Boolean> observed = new ConcurrentHashMap<>();

    private final Predicate<Object> hasObserver;
    private final Consumer<Object> observers;
    private final Executor threads;

    /** @param times how many failures were not charged */
    private record Held(int times, BooleanSupplier isOver) {}

    /** @param threads call the observers */
    ApplicationNotifier(BeanManager beans, Executor threads) {
        this(event -> hasObserver(beans, event), event -> beans.getEvent().fire(event), threads);
    }

    ApplicationNotifier(Predicate<Object> hasObserver, Consumer<Object> observers, Executor threads) {
        this.hasObserver = hasObserver;
        this.observers = observers;
        this.threads = threads;
    }

    /** Whether the application observes an event. The library's own observers receive every event and do not count. */
    private static boolean hasObserver(BeanManager beans, Object event) {
        return beans.resolveObserverMethods(event).stream()
                .anyMatch(observer -> !observer.isAsync()
                        && !observer.getBeanClass().getName().startsWith("dev.cdioutbox.internal."));
    }

    @Override
    public void published(DestinationId destination, List<OutboxMessage> messages, Instant at, Duration took) {
        delivered(destination);
        messages.forEach(message -> add(new Published(
                message.id(),
                message.sequence(),
                destination.toString(),
                message.event(),
                message.context(),
                message.createdAt(),
                at)));
    }

    @Override
    public void shadowed(DestinationId destination, String shadow, List<OutboxMessage> messages) {
        delivered(destination);
    }

    private void delivered(DestinationId destination) {
        Held over = held.remove(destination);
        if (over != null) {
            add(new Recovered(destination.toString(), over.times()));
        }
    }

    @Override
    public void held(DestinationId destination, Finding finding, BooleanSupplier isOver) {
        Held now = held.compute(
                destination,
                (id, before) ->
                        new Held(before == null || before.isOver().getAsBoolean() ? 1 : before.times() + 1, isOver));
        if (now.times() == 1) {
            add(new Failing(destination.toString(), finding.toString()));
        }
    }

    @Override
    public void charged(DestinationId destination, OutboxMessage message, Retry retry, Instant at) {
        if (retry.status() == OutboxStatus.ABANDONED) {
            add(new Abandoned(
                    message.id(),
                    message.sequence(),
                    destination.toString(),
                    message.event(),
                    message.context(),
                    retry.attempts(),
                    String.valueOf(retry.error())));
        }
    }

    @Override
    public void unreadable(DestinationId destination, long sequence, String problem) {
        add(new Abandoned(null, sequence, destination.toString(), null, null, 0, problem));
    }

    @Override
    public void runFailed(DestinationId destination, int failures, Throwable cause) {
        if (failures == 1) {
            add(new Failing(destination.toString(), FailureReason.of(cause)));
        }
    }

    @Override
    public void recovered(DestinationId destination, int failures) {
        add(new Recovered(destination.toString(), failures));
    }

    private void add(Object event) {
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

    private record Published(
            UUID id,
            long sequence,
            String destination,
            OutboxMessage.Event event,
            OutboxMessage.Context context,
            Instant createdAt,
            Instant publishedAt)
            implements MessagePublished {}

    private record Abandoned(
            UUID id,
            long sequence,
            String destination,
            OutboxMessage.Event event,
            OutboxMessage.Context context,
            int attempts,
            String error)
            implements MessageAbandoned {}

    private record Failing(String destination, String reason) implements DestinationFailing {}

    private record Recovered(String destination, int failures) implements DestinationRecovered {}
}
