package dev.cdioutbox.testing;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Executable;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import jakarta.enterprise.event.Event;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.internal.capture.event.EventType;
import dev.cdioutbox.internal.capture.event.EventTypes;

/** Finds the event types of an application in its classes, as the outbox does when it is deployed. */
final class EventFinder {
    private final EventTypes types = new EventTypes();
    private final List<Fired> found = new ArrayList<>();
    private final List<String> describedByCode = new ArrayList<>();
    private final ApplicationClasses classes;

    /** A class of events, and their type. */
    record Fired(Class<?> eventClass, EventType type) {}

    EventFinder(ApplicationClasses classes) {
        this.classes = classes;
        classes.concrete().forEach(each -> types.ofClass(each).ifPresent(type -> found.add(new Fired(each, type))));
        for (Class<?> each : classes.naming(OutboxEvent.class)) {
            if (each.isAnnotationPresent(OutboxEvent.class)
                    && classes.concrete(each).isEmpty()) {
                add(each, types.register(each));
            }
            addInjected(each);
        }
        classes.naming(OutboxEvent.Literal.class).forEach(each -> describedByCode.add(each.getName()));
    }

    private void addInjected(Class<?> owner) {
        Stream.of(owner.getDeclaredFields()).forEach(field -> addInjected(owner, field, field.getGenericType()));
        Stream.<Executable[]>of(owner.getDeclaredConstructors(), owner.getDeclaredMethods())
                .flatMap(Stream::of)
                .flatMap(method -> Stream.of(method.getParameters()))
                .forEach(parameter -> addInjected(owner, parameter, parameter.getParameterizedType()));
    }

    private void addInjected(Class<?> owner, AnnotatedElement point, Type injected) {
        OutboxEvent description = point.getAnnotation(OutboxEvent.class);
        if (description != null && isEvent(injected)) {
            Optional<EventType> type = types.register(injected, description);
            type.ifPresentOrElse(
                    named -> add(named.eventClass(), named),
                    // Event<Object>: the code decides what it fires.
                    () -> describedByCode.add(owner.getName()));
        }
    }

    private static boolean isEvent(Type injected) {
        return injected instanceof ParameterizedType generic
                && (generic.getRawType() == Event.class
                        || Stream.of(generic.getActualTypeArguments()).anyMatch(EventFinder::isEvent));
    }

    /** Adds what only the code describes. */
    void add(Class<?> eventClass, OutboxEvent description) {
        add(eventClass, types.register(eventClass, description));
    }

    private void add(Class<?> declared, EventType type) {
        List<Class<?>> concrete = classes.concrete(declared);
        (concrete.isEmpty() ? List.of(declared) : concrete).forEach(each -> found.add(new Fired(each, type)));
    }

    List<Fired> found() {
        return found;
    }

    /** The classes whose events have a description that is not in the classes. */
    List<String> describedByCode() {
        return describedByCode;
    }
}
