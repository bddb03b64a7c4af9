package dev.cdioutbox.internal.capture;

import java.lang.annotation.Annotation;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import jakarta.transaction.Status;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.internal.capture.event.EventType;
import dev.cdioutbox.internal.capture.event.EventTypes;

/** Passes each fired event to the capture of its outbox. Thread-safe. */
final class EventRouter implements FiredEvents {
    private final Map<String, Capture> captures;
    private final EventTypes types;
    private final TransactionSynchronizationRegistry registry;
    private final RefusalLog refusals = new RefusalLog();

    /** @param captures by the names of the outboxes */
    EventRouter(Map<String, Capture> captures, EventTypes types, TransactionSynchronizationRegistry registry) {
        this.captures = captures;
        this.types = types;
        this.registry = registry;
    }

    /** Adds the messages of an outbox event to the current transaction. */
    @Override
    public void capture(Object event, Set<Annotation> qualifiers) {
        try {
            typeOf(event, qualifiers)
                    .ifPresent(type -> captures.get(type.outbox()).capture(type, event));
        } catch (RuntimeException e) {
            types.forget(event, qualifiers);
            if (registry.getTransactionStatus() != Status.STATUS_MARKED_ROLLBACK) {
                refusals.report(event, e);
            }
            throw e;
        }
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

    @Override
    public void writeAfterFlush() {
        captures.values().forEach(Capture::writeAfterFlush);
    }
}
