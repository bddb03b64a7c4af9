package dev.cdioutbox.jms.internal.consume;

import java.lang.annotation.Annotation;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.IntStream;

import jakarta.jms.Message;

import dev.cdioutbox.jms.IdempotentConsumer;
import dev.cdioutbox.jms.MessageId;

/**
 * A method that consumes messages: its annotation, also by a stereotype or on the class, and the parameter with the
 * message or the id of the work.
 *
 * @param binding the annotation; null if there is none
 * @param parameter the index of the parameter with the message's id; negative if there is none
 */
record ConsumerMethod(Method method, IdempotentConsumer binding, int parameter) {

    static ConsumerMethod of(Class<?> bean, Method called) {
        Method method = called.isBridge() ? written(called) : called;
        IdempotentConsumer own = find(method.getAnnotations());
        return new ConsumerMethod(method, own == null ? binding(bean) : own, parameter(method));
    }

    /**
     * A container that calls through a generic interface may name the compiler's bridge method. The bridge has the
     * erased parameter types, and with some compilers no annotations. The class or a superclass declares the method
     * that the bridge calls. If several methods may be that method, this picks one with a message.
     */
    private static Method written(Method bridge) {
        for (Class<?> type = bridge.getDeclaringClass(); type != null; type = type.getSuperclass()) {
            Optional<Method> found = Arrays.stream(type.getDeclaredMethods())
                    .filter(method -> !method.isBridge() && isCallable(method, bridge))
                    .max(Comparator.comparing(method -> parameter(method) >= 0));
            if (found.isPresent()) {
                return found.get();
            }
        }
        return bridge;
    }

    private static boolean isCallable(Method method, Method bridge) {
        Class<?>[] narrow = method.getParameterTypes();
        Class<?>[] wide = bridge.getParameterTypes();
        return method.getName().equals(bridge.getName())
                && narrow.length == wide.length
                && IntStream.range(0, wide.length).allMatch(i -> wide[i].isAssignableFrom(narrow[i]));
    }

    boolean hasMessageId() {
        return parameter >= 0;
    }

    /** The annotation of a class for all its methods, on the class or on a stereotype. */
    static IdempotentConsumer binding(Class<?> bean) {
        for (Class<?> type = bean; type != null; type = type.getSuperclass()) {
            IdempotentConsumer found = find(type.getDeclaredAnnotations());
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static IdempotentConsumer find(Annotation[] annotations) {
        return Arrays.stream(annotations)
                .map(a -> a instanceof IdempotentConsumer itself
                        ? itself
                        : a.annotationType().getAnnotation(IdempotentConsumer.class))
                .filter(a -> a != null)
                .findFirst()
                .orElse(null);
    }

    private static int parameter(Method method) {
        Annotation[][] marks = method.getParameterAnnotations();
        Class<?>[] types = method.getParameterTypes();
        return IntStream.range(0, types.length)
                .filter(i -> Arrays.stream(marks[i]).anyMatch(MessageId.class::isInstance))
                .findFirst()
                .orElseGet(() -> IntStream.range(0, types.length)
                        .filter(i -> Message.class.isAssignableFrom(types[i]))
                        .findFirst()
                        .orElse(-1));
    }

    /** The return value for a skipped message. */
    Object nothing() {
        Class<?> type = method.getReturnType();
        // A new array contains the default value of its type.
        return type == void.class ? null : Array.get(Array.newInstance(type, 1), 0);
    }
}
