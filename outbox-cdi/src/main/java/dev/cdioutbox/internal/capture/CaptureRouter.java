package dev.cdioutbox.internal.capture;

import java.lang.annotation.Annotation;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import jakarta.transaction.Status;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.internal.capture.event.EventType;
import dev.cdioutbox.internal.capture.event.EventTypes;

/** Passes each fired event to the capture of its outbox. */
final class CaptureRouter implements FiredEvents {
    private final EventTypes types;
    private final TransactionSynchronizationRegistry registry;
    private final Map<String, Capture> captures;

    CaptureRouter(EventTypes types, TransactionSynchronizationRegistry registry, Map<String, Capture> captures) {
        this.types = types;
        this.registry = registry;
        this.captures = Map.copyOf(captures);
    }

    /** Adds the messages of an outbox event to the current transaction; ignores other events. */
    @Override
    public void capture(Object event, Set<Annotation> qualifiers) {
        typeOf(event, qualifiers).ifPresent(type -> captures.get(type.outbox()).capture(type, event));
    }

    @Override
    public void handOver() {
        captures.values().forEach(Capture::handOver);
    }

    /** A type may prove invalid at its first {@code fire()}; then the transaction must not commit without the event. */
    private Optional<EventType> typeOf(Object event, Set<Annotation> qualifiers) {
        try {
            Optional<EventType> type = types.of(event, qualifiers);
            type.ifPresent(found -> found.requireOneOf(captures.keySet()));
            return type;
        } catch (RuntimeException e) {
            if (registry.getTransactionStatus() == Status.STATUS_ACTIVE) {
                registry.setRollbackOnly();
            }
            throw e;
        }
    }
}
