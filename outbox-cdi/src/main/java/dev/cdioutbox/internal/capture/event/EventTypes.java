package dev.cdioutbox.internal.capture.event;

import java.lang.annotation.Annotation;
import java.net.URL;
import java.security.CodeSource;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import dev.cdioutbox.Outbox;
import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.internal.problem.Problem;

/** The classes of outbox events: found at deployment, or at their first {@code fire()}. */
public final class EventTypes {
    private static final Set<String> CLIENT_PROXIES =
            Set.of("org.jboss.weld.proxy.WeldClientProxy", "org.apache.webbeans.proxy.OwbNormalScopeProxy");

    private final Map<String, EventType> byName = new ConcurrentHashMap<>();
    private final Map<Class<?>, Optional<EventType>> byClass = new ConcurrentHashMap<>();
    private final Map<Qualified, EventType> byQualifier = new ConcurrentHashMap<>();

    public EventType register(Class<?> annotated) {
        EventType type = EventType.of(annotated);
        claim(type);
        byClass.put(annotated, Optional.of(type));
        return type;
    }

    /** Registers the type of an injection point with the qualifier. */
    public void register(Class<?> declared, Outbox qualifier) {
        refuseBoth(declared);
        EventType type = EventType.of(declared, qualifier);
        share(type);
        byQualifier.put(new Qualified(declared, qualifier), type);
    }

    public Collection<EventType> all() {
        return Stream.concat(byName.values().stream(), byQualifier.values().stream())
                .distinct()
                .toList();
    }

    /** The type of an object fired with qualifiers; empty for other events. */
    public Optional<EventType> of(Object event, Set<Annotation> qualifiers) {
        for (Annotation qualifier : qualifiers) {
            if (qualifier instanceof Outbox outbox) {
                return Optional.of(
                        byQualifier.computeIfAbsent(new Qualified(event.getClass(), outbox), this::firedWith));
            }
        }
        return of(event);
    }

    private EventType firedWith(Qualified fired) {
        refuseBoth(fired.eventClass());
        refuseClientProxy(fired.eventClass());
        EventType type = EventType.of(fired.eventClass(), fired.qualifier());
        share(type);
        return type;
    }

    private void refuseBoth(Class<?> eventClass) {
        if (annotated(eventClass).isPresent()) {
            throw Problem.BAD_EVENT_TYPE.exception(
                    eventClass.getName(),
                    "it carries @OutboxEvent and is fired with @Outbox. Keep one: they may say different things.");
        }
    }

    private void claim(EventType type) {
        EventType other = byName.putIfAbsent(type.name(), type);
        if (other != null && other.eventClass() != type.eventClass()) {
            throw duplicate(other, type);
        }
    }

    /**
     * With a qualifier, a class and its subclasses may share a name. The superclass owns the name, in any order of
     * registration.
     */
    private void share(EventType type) {
        byName.merge(type.name(), type, (owner, other) -> {
            if (owner.eventClass().isAssignableFrom(other.eventClass())) {
                return owner;
            }
            if (other.eventClass().isAssignableFrom(owner.eventClass())) {
                return other;
            }
            throw duplicate(owner, other);
        });
    }

    private static RuntimeException duplicate(EventType one, EventType other) {
        boolean copies = one.eventClass().getName().equals(other.eventClass().getName());
        return Problem.DUPLICATE_TYPE.exception(
                one.name(), label(one.eventClass(), copies), label(other.eventClass(), copies));
    }

    /** Adds the source if two class loaders have a class of the same name. */
    private static String label(Class<?> eventClass, boolean withSource) {
        if (!withSource) {
            return eventClass.getName();
        }
        CodeSource source = eventClass.getProtectionDomain().getCodeSource();
        URL location = source == null ? null : source.getLocation();
        return "%s (loaded by %s from %s)"
                .formatted(
                        eventClass.getName(),
                        eventClass.getClassLoader(),
                        location == null ? "an unknown place" : location);
    }

    /** The type of a fired object; empty for other events. Must be cheap: CDI calls it for every event. */
    Optional<EventType> of(Object event) {
        Class<?> eventClass = event.getClass();
        Optional<EventType> known = byClass.get(eventClass);
        if (known == null) {
            // The key may be on the fired subclass and not on the annotated superclass.
            known = annotated(eventClass).map(this::registered).map(type -> type.firedAs(eventClass));
            if (known.isEmpty()) {
                HiddenAnnotation.refuse(eventClass);
            } else {
                refuseClientProxy(eventClass);
            }
            byClass.put(eventClass, known);
        }
        return known;
    }

    /** Tests the marker interfaces of Weld and OpenWebBeans, since CDI has no portable test. */
    private static void refuseClientProxy(Class<?> eventClass) {
        for (Class<?> implemented : eventClass.getInterfaces()) {
            if (CLIENT_PROXIES.contains(implemented.getName())) {
                throw Problem.CLIENT_PROXY.exception(eventClass.getSuperclass().getName());
            }
        }
    }

    private EventType registered(Class<?> annotated) {
        Optional<EventType> known = byClass.get(annotated);
        return known != null && known.isPresent() ? known.get() : register(annotated);
    }

    /** The nearest annotated class or interface: a subclass has the event type of its superclass. */
    private static Optional<Class<?>> annotated(Class<?> eventClass) {
        for (Class<?> type = eventClass; type != null; type = type.getSuperclass()) {
            if (type.isAnnotationPresent(OutboxEvent.class)) {
                return Optional.of(type);
            }
        }
        Set<Class<?>> found = new LinkedHashSet<>();
        for (Class<?> type = eventClass; type != null; type = type.getSuperclass()) {
            for (Class<?> implemented : type.getInterfaces()) {
                annotatedInterfaces(implemented, found);
            }
        }
        if (found.size() > 1) {
            throw Problem.BAD_EVENT_TYPE.exception(
                    eventClass.getName(),
                    "it implements several interfaces with @OutboxEvent: " + found + ". Annotate the class.");
        }
        return found.stream().findFirst();
    }

    /** Finds the nearest annotated interfaces; the parents of an annotated interface do not count. */
    private static void annotatedInterfaces(Class<?> type, Set<Class<?>> found) {
        if (type.isAnnotationPresent(OutboxEvent.class)) {
            found.add(type);
        } else {
            for (Class<?> parent : type.getInterfaces()) {
                annotatedInterfaces(parent, found);
            }
        }
    }

    /** A class with a qualifier. */
    private record Qualified(Class<?> eventClass, Outbox qualifier) {}
}
