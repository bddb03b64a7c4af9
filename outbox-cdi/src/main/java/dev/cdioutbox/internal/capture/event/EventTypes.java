package dev.cdioutbox.internal.capture.event;

import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Annotation;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.internal.code.OutboxCode;

/**
 * The classes of outbox events: found at deployment, or at their first {@code fire()}. Joins the annotation of a
 * class, of its superclasses and interfaces, and that of an injection point; refuses two classes with one type.
 */
public final class EventTypes {
    /** An annotation of an injection point that only repeats that the class is an event. */
    private static final OutboxEvent WITHOUT_MEMBERS = OutboxEvent.Literal.of("");

    /** How many types are kept that the deployment does not declare, since a request may have named them. */
    static final int MOST = 10_000;

    /** What the client proxies of Weld and of OpenWebBeans implement. Their payload would have properties of the container. */
    private static final Set<String> CLIENT_PROXIES =
            Set.of("org.jboss.weld.proxy.WeldClientProxy", "org.apache.webbeans.proxy.OwbNormalScopeProxy");

    private static final String DESCRIPTOR = OutboxEvent.class.descriptorString();

    private final Map<String, EventType> byName = new ConcurrentHashMap<>();
    private final Map<Class<?>, Optional<EventType>> byClass = new ConcurrentHashMap<>();
    private final Map<Qualified, EventType> byQualifier = new ConcurrentHashMap<>();
    private final Set<Qualified> declared = ConcurrentHashMap.newKeySet();

    public EventType register(Class<?> annotated) {
        EventType type = EventType.of(annotated);
        claim(type);
        byClass.put(annotated, Optional.of(type));
        return type;
    }

    /** Registers the type of an injection point with the annotation. */
    public void register(Class<?> eventClass, OutboxEvent qualifier) {
        Qualified declaration = new Qualified(eventClass, qualifier);
        byQualifier.put(declaration, described(declaration));
        declared.add(declaration);
    }

    /** Forgets what is known of a refused event, unless an injection point declares it. */
    public void forget(Object event, Set<Annotation> qualifiers) {
        qualifier(qualifiers)
                .map(qualifier -> new Qualified(event.getClass(), qualifier))
                .filter(fired -> !declared.contains(fired))
                .map(byQualifier::remove)
                .filter(type -> !byQualifier.containsValue(type))
                .ifPresent(type -> byName.remove(type.name(), type));
    }

    public Collection<EventType> all() {
        return Stream.concat(byName.values().stream(), byQualifier.values().stream())
                .distinct()
                .toList();
    }

    /** The names of the types found so far. */
    public Set<String> names() {
        return all().stream().map(EventType::name).collect(Collectors.toSet());
    }

    /** The type of an object fired with qualifiers; empty for other events. */
    public Optional<EventType> of(Object event, Set<Annotation> qualifiers) {
        Optional<OutboxEvent> qualifier = qualifier(qualifiers);
        return qualifier.isPresent()
                ? Optional.of(of(new Qualified(event.getClass(), qualifier.get())))
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

    private EventType of(Qualified fired) {
        EventType known = byQualifier.get(fired);
        return known != null || byQualifier.size() < MOST
                ? byQualifier.computeIfAbsent(fired, this::described)
                : described(fired);
    }

    /** By the class if it is annotated, else by the injection point. */
    private EventType described(Qualified fired) {
        Class<?> eventClass = fired.eventClass();
        if (annotated(eventClass).isEmpty()) {
            refuseClientProxy(eventClass);
            EventType type = EventType.of(eventClass, fired.qualifier());
            share(type);
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
        if (byName.size() >= MOST && !byName.containsKey(type.name())) {
            return;
        }
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
        return OutboxCode.DUPLICATE_TYPE.exception(one.name(), place(one.eventClass()), place(other.eventClass()));
    }

    /** The class with its loader, since two loaders may have a class of the same name. */
    private static String place(Class<?> eventClass) {
        return "%s (loaded by %s)".formatted(eventClass.getName(), eventClass.getClassLoader());
    }

    /** The type by the annotation of a class; empty for other events. Must be cheap: CDI calls it for every event. */
    private Optional<EventType> ofClass(Class<?> eventClass) {
        Optional<EventType> known = byClass.get(eventClass);
        if (known == null) {
            annotated(eventClass).ifPresent(event -> refuseClientProxy(eventClass));
            // The key may be on the fired subclass and not on the annotated superclass.
            known = annotated(eventClass).map(this::register).map(type -> type.firedAs(eventClass));
            if (known.isEmpty()) {
                EventProperty.supertypes(eventClass).forEach(type -> refuseIfHidden(eventClass, type));
            }
            byClass.put(eventClass, known);
        }
        return known;
    }

    private static void refuseClientProxy(Class<?> eventClass) {
        if (EventProperty.supertypes(eventClass).stream().anyMatch(type -> CLIENT_PROXIES.contains(type.getName()))) {
            throw OutboxCode.BAD_EVENT_TYPE.exception(
                    eventClass.getName(),
                    "it is a client proxy of the container, and not the object behind it. Fire a plain object with the values.");
        }
    }

    /** The nearest annotated class, or else the one annotated interface: a subclass has the type of its superclass. */
    private static Optional<Class<?>> annotated(Class<?> eventClass) {
        List<Class<?>> found = EventProperty.supertypes(eventClass).stream()
                .filter(type -> type.isAnnotationPresent(OutboxEvent.class))
                .toList();
        if (found.isEmpty() || !found.get(0).isInterface()) {
            return found.stream().findFirst();
        }
        // The parents of an annotated interface do not count.
        List<Class<?>> nearest = found.stream()
                .filter(type -> found.stream().noneMatch(child -> child != type && type.isAssignableFrom(child)))
                .toList();
        if (nearest.size() > 1) {
            throw OutboxCode.BAD_EVENT_TYPE.exception(
                    eventClass.getName(),
                    "it implements several interfaces with @OutboxEvent: " + nearest + ". Annotate the class.");
        }
        return Optional.of(nearest.get(0));
    }

    /**
     * Refuses a class whose annotation the JVM has dropped. The loader of a class in {@code EAR/lib} does not see the
     * outbox in a WAR. The JVM silently ignores an annotation whose class it cannot load, and no outbox would store the
     * event.
     */
    private static void refuseIfHidden(Class<?> eventClass, Class<?> type) {
        ClassLoader loader = type.getClassLoader();
        if (loader != null && loader != ClassLoader.getPlatformClassLoader() && !sees(loader) && mentions(type)) {
            throw OutboxCode.HIDDEN_ANNOTATION.exception(eventClass.getName(), type.getName());
        }
    }

    /**
     * Whether the loader finds an outbox, maybe that of another WAR: CDI delivers the events of one WAR to all WARs of
     * the EAR.
     */
    private static boolean sees(ClassLoader loader) {
        try {
            loader.loadClass(OutboxEvent.class.getName());
            return true;
        } catch (ClassNotFoundException | LinkageError hidden) {
            return false;
        }
    }

    private static boolean mentions(Class<?> type) {
        String file = type.getName().substring(type.getName().lastIndexOf('.') + 1) + ".class";
        try (InputStream content = type.getResourceAsStream(file)) {
            return content != null
                    && new String(content.readAllBytes(), StandardCharsets.ISO_8859_1).contains(DESCRIPTOR);
        } catch (IOException unreadable) {
            return false;
        }
    }

    /** A class with the annotation of its injection point. */
    private record Qualified(Class<?> eventClass, OutboxEvent qualifier) {}
}
