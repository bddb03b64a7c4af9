package dev.cdioutbox.testing;

import java.lang.annotation.Annotation;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.NotificationOptions;
import jakarta.enterprise.util.TypeLiteral;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.internal.capture.event.EventTypes;
import dev.cdioutbox.internal.code.OutboxCode;

/** An {@code Event} without a container. Immutable. */
final class RecordedEvent<T> implements Event<T> {
    private final EventTypes types;
    private final RecordedCapture capture;
    private final Set<Annotation> qualifiers;

    RecordedEvent(EventTypes types, RecordedCapture capture, Set<Annotation> qualifiers) {
        this.types = types;
        this.capture = capture;
        this.qualifiers = qualifiers;
    }

    @Override
    public void fire(T event) {
        types.of(event, qualifiers).ifPresent(type -> capture.capture(type, event));
    }

    @Override
    public <U extends T> CompletionStage<U> fireAsync(U event) {
        if (types.of(event, qualifiers).isPresent()) {
            return CompletableFuture.failedStage(
                    OutboxCode.FIRED_ASYNC.exception(event.getClass().getName()));
        }
        throw new UnsupportedOperationException("The test kit calls no observers. Fire this event in a CDI container.");
    }

    @Override
    public <U extends T> CompletionStage<U> fireAsync(U event, NotificationOptions options) {
        return fireAsync(event);
    }

    @Override
    public Event<T> select(Annotation... more) {
        return with(more);
    }

    @Override
    public <U extends T> Event<U> select(Class<U> subtype, Annotation... more) {
        return with(more);
    }

    @Override
    public <U extends T> Event<U> select(TypeLiteral<U> subtype, Annotation... more) {
        return with(more);
    }

    private <U> Event<U> with(Annotation... more) {
        Set<Annotation> all = new HashSet<>(qualifiers);
        all.addAll(List.of(more));
        if (all.stream().filter(OutboxEvent.class::isInstance).count() > 1) {
            // As in a container: otherwise one of the two would be dropped.
            throw new IllegalArgumentException("several qualifiers @OutboxEvent: " + all);
        }
        return new RecordedEvent<>(types, capture, all);
    }
}
