package dev.cdioutbox.internal.ejb;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

import jakarta.enterprise.inject.spi.BeanManager;

import dev.cdioutbox.DestinationFailing;
import dev.cdioutbox.DestinationRecovered;
import dev.cdioutbox.MessageAbandoned;
import dev.cdioutbox.MessagePublished;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.outbox.CaptureListener;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.spi.DestinationId;

/**
 * Turns what dispatch and capture report into CDI events for the application's own observers, which an {@link ObserverQueue} calls
 * on threads of their own. This is no CDI bean, because one with an EJB reference fails a deployment on Open Liberty with the
 * feature mdb alone (CWNEN1007E). Thread-safe.
 */
final class ApplicationNotifier implements DispatchListener, CaptureListener {
    /** The destinations that may be at fault and keep messages from being given up, until a delivery. */
    private final Map<DestinationId, Held> held = new ConcurrentHashMap<>();

    private final ObserverQueue queue;

    /** @param times how many failures were not charged */
    private record Held(int times, BooleanSupplier isOver) {}

    /** @param threads call the observers */
    ApplicationNotifier(BeanManager beans, Executor threads) {
        this(new ObserverQueue(
                event -> hasObserver(beans, event), event -> beans.getEvent().fire(event), threads, System::nanoTime));
    }

    ApplicationNotifier(ObserverQueue queue) {
        this.queue = queue;
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
        messages.forEach(message -> queue.add(new Published(
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
            queue.add(new Recovered(destination.toString(), over.times()));
        }
    }

    @Override
    public void held(DestinationId destination, Finding finding, BooleanSupplier isOver) {
        Held now = held.compute(
                destination,
                (id, before) ->
                        new Held(before == null || before.isOver().getAsBoolean() ? 1 : before.times() + 1, isOver));
        if (now.times() == 1) {
            queue.add(new Failing(destination.toString(), finding.toString()));
        }
    }

    @Override
    public void charged(DestinationId destination, OutboxMessage message, Retry retry, Instant at, Throwable cause) {
        if (retry.status() == OutboxStatus.ABANDONED) {
            queue.add(new Abandoned(
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
        queue.add(new Abandoned(null, sequence, destination.toString(), null, null, 0, problem));
    }

    @Override
    public void captured(List<NewMessage> messages) {
        // The application has fired them itself.
    }

    @Override
    public void setAside(DestinationId destination, NewMessage message, long sequence, String reason) {
        queue.add(new Abandoned(
                message.id(), sequence, destination.toString(), message.event(), message.context(), 0, reason));
    }

    @Override
    public void runFailed(DestinationId destination, int failures, Throwable cause) {
        if (failures == 1) {
            queue.add(new Failing(destination.toString(), FailureReason.of(cause)));
        }
    }

    @Override
    public void recovered(DestinationId destination, int failures) {
        queue.add(new Recovered(destination.toString(), failures));
    }

    @Override
    public void ticked() {
        queue.tick();
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
