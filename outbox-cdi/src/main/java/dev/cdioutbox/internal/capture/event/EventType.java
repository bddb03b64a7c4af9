package dev.cdioutbox.internal.capture.event;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.internal.capture.event.EventProperty.Use;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.store.StoredMessage.Event;

/**
 * The content of the annotation of an event class or of an injection point, read once: the type's name and version, the key
 * and the aggregate's id, the destinations' route, and the outbox, which must be configured.
 *
 * @param eventClass the described class
 * @param name the stable event type
 * @param aggregateType null if the annotation names none
 * @param destinations logical names; empty if the configured route applies
 * @param key reads the ordering key; null if unordered
 * @param aggregateId reads the aggregate's id; null if it is the key
 * @param outbox the name of the outbox that stores the event
 */
public record EventType(
        Class<?> eventClass,
        String name,
        int version,
        String aggregateType,
        List<String> destinations,
        EventProperty key,
        EventProperty aggregateId,
        String outbox) {

    private static final int MAX_LENGTH = 255;

    /** The same type with the key and the aggregate id of a subclass. */
    EventType firedAs(Class<?> subclass) {
        if (subclass == eventClass) {
            return this;
        }
        OutboxEvent described = eventClass.getAnnotation(OutboxEvent.class);
        return new EventType(
                eventClass,
                name,
                version,
                aggregateType,
                destinations,
                property(Use.KEY, subclass, described.key()),
                property(Use.AGGREGATE_ID, subclass, described.aggregateId()),
                outbox);
    }

    /** What a fired event of this type is in its messages. */
    public Event event(Object fired) {
        return new Event(
                name,
                version,
                aggregateType,
                key == null ? null : key.read(fired),
                aggregateId == null ? null : aggregateId.read(fired));
    }

    /** @throws dev.cdioutbox.OutboxException OBX-0211 if the type's outbox is none of these */
    public void requireOneOf(Set<String> outboxes) {
        if (!outboxes.contains(outbox)) {
            throw OutboxCode.UNKNOWN_OUTBOX.exception(eventClass.getName(), outbox, outbox, outboxes);
        }
    }

    public static EventType of(Class<?> annotated) {
        return of(annotated, annotated.getAnnotation(OutboxEvent.class));
    }

    static EventType of(Class<?> eventClass, OutboxEvent described) {
        String name = described.type().isBlank() ? stableName(eventClass) : described.type();
        if (described.version() < 1) {
            throw refused(eventClass, "its version is " + described.version() + "; allowed is 1 or more.");
        }
        requireStorable(eventClass, name);
        requireStorable(eventClass, described.aggregateType());
        return new EventType(
                eventClass,
                name,
                described.version(),
                described.aggregateType().isEmpty() ? null : described.aggregateType(),
                Arrays.stream(described.destination()).distinct().toList(),
                property(Use.KEY, eventClass, described.key()),
                property(Use.AGGREGATE_ID, eventClass, described.aggregateId()),
                described.outbox().isEmpty() ? OutboxConfig.DEFAULT_OUTBOX : described.outbox());
    }

    private static void requireStorable(Class<?> eventClass, String typeOrAggregateType) {
        if (typeOrAggregateType.length() > MAX_LENGTH) {
            throw refused(eventClass, "its type and aggregate type may have at most " + MAX_LENGTH + " characters.");
        }
        String wrong = StorableText.problem(typeOrAggregateType);
        if (wrong != null) {
            throw refused(eventClass, "its type or aggregate type " + wrong + ".");
        }
    }

    private static EventProperty property(Use use, Class<?> eventClass, String named) {
        return new PropertyFinder(use, eventClass).find(named).orElse(null);
    }

    /** The simple name of a class in source code. The name of a generated class may change. */
    private static String stableName(Class<?> eventClass) {
        String name = eventClass.getSimpleName();
        // A lambda and a proxy have a $ in their names, a hidden class a slash, and an anonymous class has no name.
        if (!name.matches("[^$/]+")) {
            throw refused(eventClass, "the class has no stable name of its own. Give the event a type.");
        }
        return name;
    }

    private static RuntimeException refused(Class<?> eventClass, String problem) {
        return OutboxCode.BAD_EVENT_TYPE.exception(eventClass.getName(), problem);
    }
}
