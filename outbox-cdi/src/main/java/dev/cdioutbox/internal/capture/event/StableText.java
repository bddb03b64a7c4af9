package dev.cdioutbox.internal.capture.event;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;

/**
 * Decides whether equal keys have the same text, in each JVM. Trusts a {@code toString()} that the application or the
 * JDK has written, except that of a container, and looks into records whose {@code toString()} the compiler has written.
 * Without this check each event of an aggregate could have another key, and no order.
 */
final class StableText {
    /** Their texts are made of those of their elements, or name the object. */
    private static final List<Class<?>> CONTAINERS = List.of(
            Collection.class,
            Map.class,
            Map.Entry.class,
            Optional.class,
            AtomicReference.class,
            AtomicReferenceArray.class,
            Future.class);

    private StableText() {}

    /** The problem of all values of a declared type; null if there is none, or if only the value will show it. */
    static String problem(Class<?> declared) {
        return problem(declared, Modifier.isFinal(declared.getModifiers()), part -> problem(part.getType()));
    }

    /** The problem of a value, or null. */
    static String problemOf(Object value) {
        return value == null ? null : problem(value.getClass(), true, part -> problemOf(read(part, value)));
    }

    /**
     * @param isExact whether no value is of a subclass, which may have a toString()
     * @param ofPart finds the problem of a record's component
     */
    private static String problem(Class<?> type, boolean isExact, Function<RecordComponent, String> ofPart) {
        if (Date.class.isAssignableFrom(type) || Calendar.class.isAssignableFrom(type)) {
            return "a " + type.getName()
                    + " has a text that depends on the time zone of the JVM; use a java.time.Instant";
        }
        if (CONTAINERS.stream().anyMatch(any -> any.isAssignableFrom(type))) {
            return "a " + type.getName() + " has elements whose order or texts may differ; use a record of its values";
        }
        if (isExact && !type.isPrimitive() && toStringOf(type).getDeclaringClass() == Object.class) {
            return type.getTypeName() + " has no toString(), so equal keys would have different texts";
        }
        // The compiler makes the methods of a record final that it writes.
        return type.isRecord() && Modifier.isFinal(toStringOf(type).getModifiers())
                ? Arrays.stream(type.getRecordComponents())
                        .map(ofPart)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null)
                : null;
    }

    private static Object read(RecordComponent part, Object value) {
        try {
            part.getAccessor().trySetAccessible();
            return part.getAccessor().invoke(value);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Method toStringOf(Class<?> type) {
        try {
            return type.getMethod("toString");
        } catch (NoSuchMethodException e) {
            throw new IllegalArgumentException(type.getName(), e);
        }
    }
}
