package dev.cdioutbox.internal.capture.event;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Decides whether equal keys have the same text, in each JVM. Trusts a {@code toString()} that the application or the
 * JDK has written. Looks into lists, sorted sets and maps, optionals, and records whose {@code toString()} the compiler
 * has written. Without this check each event of an aggregate could have another key, and no order.
 */
final class StableText {
    private StableText() {}

    /** The problem of all values of a declared type; null if there is none, or if only the value will show it. */
    static String problem(Type declared) {
        if (declared instanceof GenericArrayType) {
            return problem(Object[].class);
        }
        if (declared instanceof WildcardType wildcard) {
            return problem(wildcard.getUpperBounds()[0]);
        }
        if (declared instanceof ParameterizedType generic) {
            Class<?> raw = (Class<?>) generic.getRawType();
            String problem = problem(raw);
            return problem != null || !isContainer(raw)
                    ? problem
                    : first(Arrays.stream(generic.getActualTypeArguments()), StableText::problem);
        }
        if (!(declared instanceof Class<?> type)) {
            return null;
        }
        String problem = problemOf(type, Modifier.isFinal(type.getModifiers()));
        return problem != null || !isWrittenByTheCompiler(type)
                ? problem
                : first(Arrays.stream(type.getRecordComponents()), part -> problem(part.getGenericType()));
    }

    /** The problem of a value, or null. */
    static String problemOf(Object value) {
        if (value == null) {
            return null;
        }
        String problem = problemOf(value.getClass(), true);
        return problem == null ? first(parts(value), StableText::problemOf) : problem;
    }

    private static Stream<?> parts(Object value) {
        if (value instanceof Optional<?> optional) {
            return optional.stream();
        }
        if (value instanceof Collection<?> elements) {
            return elements.stream();
        }
        if (value instanceof Map<?, ?> map) {
            return Stream.concat(map.keySet().stream(), map.values().stream());
        }
        return isWrittenByTheCompiler(value.getClass())
                ? Arrays.stream(value.getClass().getRecordComponents()).map(part -> read(part, value))
                : Stream.empty();
    }

    private static Object read(RecordComponent part, Object value) {
        try {
            part.getAccessor().trySetAccessible();
            return part.getAccessor().invoke(value);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** @param isExact whether no value is of a subclass, which may have a toString() */
    private static String problemOf(Class<?> type, boolean isExact) {
        if (Date.class.isAssignableFrom(type) || Calendar.class.isAssignableFrom(type)) {
            return "a " + type.getName()
                    + " has a text that depends on the time zone of the JVM; use a java.time.Instant";
        }
        if (isUnordered(type) && (isExact || type != Collection.class)) {
            return "a " + type.getName() + " has no defined order; use a java.util.List, SortedSet or SortedMap";
        }
        return isExact && !type.isPrimitive() && toStringOf(type).getDeclaringClass() == Object.class
                ? type.getTypeName() + " has no toString(), so equal keys would have different texts"
                : null;
    }

    private static boolean isUnordered(Class<?> type) {
        return Collection.class.isAssignableFrom(type)
                        && !List.class.isAssignableFrom(type)
                        && !SortedSet.class.isAssignableFrom(type)
                || Map.class.isAssignableFrom(type) && !SortedMap.class.isAssignableFrom(type);
    }

    private static boolean isContainer(Class<?> type) {
        return Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type) || type == Optional.class;
    }

    /** The compiler makes the methods of a record final that it writes. */
    private static boolean isWrittenByTheCompiler(Class<?> type) {
        return type.isRecord() && Modifier.isFinal(toStringOf(type).getModifiers());
    }

    private static Method toStringOf(Class<?> type) {
        try {
            return type.getMethod("toString");
        } catch (NoSuchMethodException e) {
            throw new IllegalArgumentException(type.getName(), e);
        }
    }

    private static <T> String first(Stream<T> parts, Function<? super T, String> problem) {
        return parts.map(problem).filter(Objects::nonNull).findFirst().orElse(null);
    }
}
