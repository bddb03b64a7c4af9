package dev.cdioutbox.internal.capture;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.internal.problem.Problem;

/** Knows which classes are outbox events: those found at deployment, and any other when it is first fired. */
final class EventTypes {
    private final Map<String, EventType> byName = new ConcurrentHashMap<>();
    private final Map<Class<?>, Optional<EventType>> byClass = new ConcurrentHashMap<>();

    EventType register(Class<?> annotated) {
        EventType type = EventType.of(annotated);
        EventType other = byName.putIfAbsent(type.name(), type);
        if (other != null && other.eventClass() != annotated) {
            throw Problem.DUPLICATE_TYPE.exception(
                    type.name(), other.eventClass().getName(), annotated.getName());
        }
        byClass.put(annotated, Optional.of(type));
        return type;
    }

    Collection<EventType> all() {
        return byName.values();
    }

    /** The type of a fired object; empty for the events of others. Cheap: this is asked of every CDI event there is. */
    Optional<EventType> of(Object event) {
        Class<?> eventClass = event.getClass();
        Optional<EventType> known = byClass.get(eventClass);
        if (known == null) {
            // The key may stand on the subclass that is fired, and not on what it extends.
            known = annotated(eventClass).map(this::registered).map(type -> type.firedAs(eventClass));
            byClass.put(eventClass, known);
        }
        return known;
    }

    private EventType registered(Class<?> annotated) {
        Optional<EventType> known = byClass.get(annotated);
        return known != null && known.isPresent() ? known.get() : register(annotated);
    }

    /** The nearest annotated class or interface: a subclass is an event of the type it extends. */
    private static Optional<Class<?>> annotated(Class<?> eventClass) {
        for (Class<?> type = eventClass; type != null; type = type.getSuperclass()) {
            if (type.isAnnotationPresent(OutboxEvent.class)) {
                return Optional.of(type);
            }
        }
        for (Class<?> type = eventClass; type != null; type = type.getSuperclass()) {
            for (Class<?> implemented : type.getInterfaces()) {
                Optional<Class<?>> found = annotatedInterface(implemented);
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<Class<?>> annotatedInterface(Class<?> type) {
        if (type.isAnnotationPresent(OutboxEvent.class)) {
            return Optional.of(type);
        }
        for (Class<?> parent : type.getInterfaces()) {
            Optional<Class<?>> found = annotatedInterface(parent);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }
}
