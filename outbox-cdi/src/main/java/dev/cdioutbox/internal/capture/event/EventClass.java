package dev.cdioutbox.internal.capture.event;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import jakarta.enterprise.event.Event;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.internal.code.OutboxCode;

/** Finds the class with the annotation of an event, and the class that an injection point fires. */
final class EventClass {
    /** What the client proxies of Weld and of OpenWebBeans implement. Their payload would have properties of the container. */
    private static final Set<String> CLIENT_PROXIES =
            Set.of("org.jboss.weld.proxy.WeldClientProxy", "org.apache.webbeans.proxy.OwbNormalScopeProxy");

    private EventClass() {}

    /** The class, its superclasses, and all their interfaces, in this order. */
    static Set<Class<?>> supertypes(Class<?> type) {
        Set<Class<?>> all = new LinkedHashSet<>();
        for (Class<?> declaring = type; declaring != null && declaring != Object.class; ) {
            all.add(declaring);
            declaring = declaring.getSuperclass();
        }
        for (Class<?> declaring : List.copyOf(all)) {
            for (Class<?> implemented : declaring.getInterfaces()) {
                all.addAll(supertypes(implemented));
            }
        }
        return all;
    }

    /**
     * The nearest annotated class, or else the one annotated interface: a subclass has the type of its superclass.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0111 if there are several such interfaces
     */
    static Optional<Class<?>> annotated(Class<?> eventClass) {
        List<Class<?>> found = supertypes(eventClass).stream()
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

    /** @throws dev.cdioutbox.OutboxException OBX-0111 for the proxy of a bean */
    static void refuseClientProxy(Class<?> eventClass) {
        if (supertypes(eventClass).stream().anyMatch(type -> CLIENT_PROXIES.contains(type.getName()))) {
            throw OutboxCode.BAD_EVENT_TYPE.exception(
                    eventClass.getName(),
                    "it is a client proxy of the container, and not the object behind it. Fire a plain object with the values.");
        }
    }

    /** The class in {@code Event<…>}; empty if the injection point does not name one: then the fired object decides. */
    static Optional<Class<?>> injected(Type injected) {
        if (!(injected instanceof ParameterizedType generic)) {
            return Optional.empty();
        }
        Type argument = generic.getActualTypeArguments()[0];
        if (generic.getRawType() != Event.class) {
            // Provider<Event<…>> and the like.
            return injected(argument);
        }
        Type raw = argument instanceof ParameterizedType parameterized ? parameterized.getRawType() : argument;
        return raw instanceof Class<?> declared && declared != Object.class ? Optional.of(declared) : Optional.empty();
    }
}
