package dev.cdioutbox.internal.handle;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import jakarta.enterprise.inject.spi.Bean;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxHandler;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.capture.event.EventType;
import dev.cdioutbox.internal.config.OutboxConfig;

/**
 * A method with {@link OutboxHandler}, and what its annotation says.
 *
 * @param bean the bean of the method
 * @param isEnterpriseBean whether the bean is an EJB
 */
record HandlerMethod(Bean<?> bean, boolean isEnterpriseBean, Method method, OutboxHandler annotation) {

    /** The name of its destination. */
    String name() {
        return annotation.value();
    }

    /** The classes of the parameters that are no {@link OutboxMessage}: one, unless the method is refused. */
    List<Class<?>> eventClasses() {
        return Arrays.stream(method.getParameterTypes())
                .filter(type -> type != OutboxMessage.class)
                .toList();
    }

    /** The class of the event's parameter. */
    Class<?> eventClass() {
        return eventClasses().get(0);
    }

    /** The annotation of the event's class; null if it has none. */
    OutboxEvent event() {
        return eventClass().getAnnotation(OutboxEvent.class);
    }

    /** The event types, as in a route. */
    List<String> types() {
        return annotation.types().length > 0
                ? List.of(annotation.types())
                : List.of(EventType.of(eventClass()).name());
    }

    /** The versions of the payload that the event's class can read; empty for all. */
    int[] versions() {
        return annotation.versions().length > 0 || event() == null
                ? annotation.versions()
                : new int[] {event().version()};
    }

    /** The name of the outbox that stores its messages. */
    String outbox() {
        if (!annotation.outbox().isEmpty()) {
            return annotation.outbox();
        }
        return event() == null ? OutboxConfig.DEFAULT_OUTBOX : outboxOf(event());
    }

    static String outboxOf(OutboxEvent event) {
        return event.outbox().isEmpty() ? OutboxConfig.DEFAULT_OUTBOX : event.outbox();
    }

    /** How others may call the method; empty if the container lets nobody call it. */
    Optional<View> view() {
        boolean hasOwnClass = bean.getTypes().contains(bean.getBeanClass());
        if (hasOwnClass && (!isEnterpriseBean || Modifier.isPublic(method.getModifiers()))) {
            return Optional.of(new View(bean.getBeanClass(), method));
        }
        return bean.getTypes().stream()
                .filter(type -> raw(type).isInterface())
                .flatMap(type -> Arrays.stream(raw(type).getMethods())
                        .filter(this::isImplementedHere)
                        .map(inherited -> new View(type, inherited)))
                .findFirst();
    }

    private static Class<?> raw(Type type) {
        return type instanceof ParameterizedType generic ? raw(generic.getRawType()) : (Class<?>) type;
    }

    /** The parameter of a generic interface has a wider class. */
    private boolean isImplementedHere(Method declared) {
        Class<?>[] wide = declared.getParameterTypes();
        Class<?>[] own = method.getParameterTypes();
        return declared.getName().equals(method.getName())
                && wide.length == own.length
                && IntStream.range(0, own.length).allMatch(i -> wide[i].isAssignableFrom(own[i]));
    }

    /**
     * A view of the bean.
     *
     * @param type a type of the bean
     * @param method a method of this type
     */
    record View(Type type, Method method) {}

    /** As the log names it. */
    @Override
    public String toString() {
        return bean.getBeanClass().getName() + "." + method.getName();
    }
}
