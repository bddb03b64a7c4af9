package dev.cdioutbox.internal.capture;

import java.util.Arrays;
import java.util.List;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.internal.problem.Problem;

/**
 * What the annotation of an event class says, read once.
 *
 * @param eventClass the class that carries the annotation
 * @param name the stable event type
 * @param destinations logical names; empty if routing decides
 * @param key reads the ordering key; null if unordered
 */
record EventType(
        Class<?> eventClass,
        String name,
        int version,
        String aggregateType,
        List<String> destinations,
        KeyAccessor key) {

    private static final int MAX_LENGTH = 255;

    /** The same type with the key as a subclass has it. */
    EventType firedAs(Class<?> subclass) {
        return subclass == eventClass
                ? this
                : new EventType(eventClass, name, version, aggregateType, destinations, KeyAccessor.of(subclass));
    }

    static EventType of(Class<?> annotated) {
        OutboxEvent annotation = annotated.getAnnotation(OutboxEvent.class);
        String name = annotation.type().isBlank() ? annotated.getSimpleName() : annotation.type();
        if (annotation.version() < 1) {
            throw Problem.BAD_EVENT_TYPE.exception(
                    annotated.getName(), "its version is " + annotation.version() + "; allowed is 1 or more.");
        }
        if (name.length() > MAX_LENGTH || annotation.aggregateType().length() > MAX_LENGTH) {
            throw Problem.BAD_EVENT_TYPE.exception(
                    annotated.getName(), "its type and aggregate type may have at most " + MAX_LENGTH + " characters.");
        }
        return new EventType(
                annotated,
                name,
                annotation.version(),
                annotation.aggregateType().isEmpty() ? null : annotation.aggregateType(),
                Arrays.stream(annotation.destination()).distinct().toList(),
                KeyAccessor.of(annotated));
    }
}
