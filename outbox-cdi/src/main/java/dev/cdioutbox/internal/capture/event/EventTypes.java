package dev.cdioutbox.internal.capture.event;

import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.enterprise.inject.spi.InjectionPoint;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.internal.code.OutboxCode;

/**
 * The types of the outbox events that were found, at deployment or at their first {@code fire()}. A type is described by the
 * annotation of the event's class or of a supertype, or else by that of an injection point or {@code select()}, which is a
 * qualifier of the fired event. Thread-safe.
 */
public final class EventTypes {
    /** How many types are kept that the deployment does not declare, since a request may have named them. */
    static final int MOST = 10_000;

    /** A qualifier that only repeats that the class is an event. */
    private static final OutboxEvent WITHOUT_MEMBERS = OutboxEvent.Literal.of("");

    private final TypeNames typeNames = new TypeNames(MOST);

    /** Empty for a class whose objects are no outbox events. */
    private final Map<Class<?>, Optional<EventType>> byClass = new ConcurrentHashMap<>();

    private final Map<Qualified, EventType> byQualifier = new ConcurrentHashMap<>();
    private final Set<Qualified> declared = ConcurrentHashMap.newKeySet();

    /** The class of an event, with its qualifier. */
    private record Qualified(Class<?> eventClass, OutboxEvent qualifier) {}

    /** Registers a class with the annotation. */
    public EventType register(Class<?> annotated) {
        EventType type = EventType.of(annotated);
        typeNames.claim(type);
        byClass.put(annotated, Optional.of(type));
        return type;
    }

    /** Registers what an injection point declares, if it has the annotation and names the class of its events. */
    public void register(InjectionPoint point) {
        qualifier(point.getQualifiers()).ifPresent(qualifier -> register(point.getType(), qualifier));
    }

    /** Registers what is injected with the annotation; returns empty if it does not name the class of its events. */
    public Optional<EventType> register(Type injected, OutboxEvent qualifier) {
        return EventClass.injected(injected).map(eventClass -> register(eventClass, qualifier));
    }

    /** Registers the events of a class that the annotation describes. */
    public EventType register(Class<?> eventClass, OutboxEvent qualifier) {
        Qualified declaration = new Qualified(eventClass, qualifier);
        EventType type = described(declaration);
        byQualifier.put(declaration, type);
        declared.add(declaration);
        return type;
    }

    public Collection<EventType> all() {
        return Stream.concat(typeNames.owners().stream(), byQualifier.values().stream())
                .distinct()
                .toList();
    }

    /** The names of the types found so far. */
    public Set<String> names() {
        return all().stream().map(EventType::name).collect(Collectors.toSet());
    }

    /** The type of an object fired with qualifiers; empty for other events. Must be cheap: CDI calls it for every event. */
    public Optional<EventType> of(Object event, Set<Annotation> qualifiers) {
        Optional<OutboxEvent> qualifier = qualifier(qualifiers);
        return qualifier.isPresent()
                ? Optional.of(ofQualified(new Qualified(event.getClass(), qualifier.get())))
                : ofClass(event.getClass());
    }

    private static Optional<OutboxEvent> qualifier(Set<Annotation> qualifiers) {
        for (Annotation qualifier : qualifiers) {
            if (qualifier instanceof OutboxEvent described) {
                return Optional.of(described);
            }
        }
        return Optional.empty();
    }

    /** The type of the objects of a class that are fired without a qualifier. */
    public Optional<EventType> ofClass(Class<?> eventClass) {
        Optional<EventType> known = byClass.get(eventClass);
        if (known == null) {
            known = ofUnknownClass(eventClass);
            byClass.put(eventClass, known);
        }
        return known;
    }

    private Optional<EventType> ofUnknownClass(Class<?> eventClass) {
        Optional<Class<?>> annotated = EventClass.annotated(eventClass);
        if (annotated.isEmpty()) {
            HiddenAnnotation.refuse(eventClass);
            return Optional.empty();
        }
        EventClass.refuseClientProxy(eventClass);
        // The key may be on the fired subclass and not on the annotated superclass.
        return Optional.of(register(annotated.get()).firedAs(eventClass));
    }

    private EventType ofQualified(Qualified fired) {
        EventType known = byQualifier.get(fired);
        return known != null || byQualifier.size() < MOST
                ? byQualifier.computeIfAbsent(fired, this::described)
                : described(fired);
    }

    /** By the class if it is annotated, else by the qualifier. */
    private EventType described(Qualified fired) {
        Class<?> eventClass = fired.eventClass();
        if (EventClass.annotated(eventClass).isEmpty()) {
            EventClass.refuseClientProxy(eventClass);
            EventType type = EventType.of(eventClass, fired.qualifier());
            typeNames.share(type);
            return type;
        }
        if (!WITHOUT_MEMBERS.equals(fired.qualifier())) {
            throw OutboxCode.BAD_EVENT_TYPE.exception(
                    eventClass.getName(),
                    "its class carries @OutboxEvent, and so does its injection point or select(), with members that may say"
                            + " something else. Remove one of the two.");
        }
        return ofClass(eventClass).orElseThrow();
    }

    /** Forgets what is known of a refused event, unless an injection point declares it. */
    public void forget(Object event, Set<Annotation> qualifiers) {
        qualifier(qualifiers)
                .map(qualifier -> new Qualified(event.getClass(), qualifier))
                .filter(fired -> !declared.contains(fired))
                .map(byQualifier::remove)
                .filter(type -> !byQualifier.containsValue(type))
                .ifPresent(typeNames::release);
    }
}
