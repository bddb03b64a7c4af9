package dev.cdioutbox.internal.capture.event;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxKey;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;

/**
 * The property of an event class that holds the ordering key: an annotated or named field, record component or getter.
 * Reads the key of an event. Prefers a getter to a field, since a proxy has empty fields.
 */
public final class KeyProperty {
    static final int MAX_LENGTH = 255;

    private final Member member;

    private KeyProperty(Member member) {
        this.member = member;
        // If the JVM refuses this, the member may still be public; otherwise read() reports the problem.
        ((AccessibleObject) member).trySetAccessible();
    }

    /**
     * The property with the one {@link OutboxKey} of a class or its supertypes; null if there is none.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0111 if there are two, or one that is static or no getter
     */
    static KeyProperty of(Class<?> eventClass) {
        // A record component appears as a field and as an accessor of the same name: they are one property.
        List<Member> marked = members(eventClass)
                .filter(member -> ((AnnotatedElement) member).isAnnotationPresent(OutboxKey.class))
                .toList();
        Set<String> names = marked.stream().map(Member::getName).collect(Collectors.toCollection(TreeSet::new));
        if (names.size() > 1) {
            throw OutboxCode.BAD_EVENT_TYPE.exception(
                    eventClass.getName(),
                    "@OutboxKey is on more than one property (" + String.join(", ", names)
                            + "). Keep one; make a compound key of its own type with a toString().");
        }
        if (marked.isEmpty()) {
            return null;
        }
        Member first = marked.get(0);
        Stream<Member> getters = first instanceof Field field
                ? getters(eventClass, field.getName())
                        .filter(getter -> ((Method) getter).getReturnType() == field.getType())
                : Stream.empty();
        return firstReadable(eventClass, first.getName(), Stream.concat(getters, Stream.of(first)));
    }

    /**
     * A property by its name: a field, a record component or a getter.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0111 if there is none
     */
    static KeyProperty named(Class<?> eventClass, String property) {
        Stream<Member> fields = members(eventClass)
                .filter(member -> member instanceof Field && member.getName().equals(property));
        return firstReadable(eventClass, property, Stream.concat(getters(eventClass, property), fields));
    }

    private static Stream<Member> getters(Class<?> eventClass, String property) {
        String capital = property.substring(0, 1).toUpperCase(Locale.ROOT) + property.substring(1);
        Set<String> names = Set.of(property, "get" + capital, "is" + capital);
        return members(eventClass).filter(member -> member instanceof Method && names.contains(member.getName()));
    }

    private static KeyProperty firstReadable(Class<?> eventClass, String property, Stream<Member> candidates) {
        return candidates
                .filter(member -> !Modifier.isStatic(member.getModifiers()))
                .filter(member -> !(member instanceof Method method)
                        || method.getParameterCount() == 0 && method.getReturnType() != void.class)
                .findFirst()
                .map(member -> ofStableText(eventClass, member))
                .orElseThrow(() -> OutboxCode.BAD_EVENT_TYPE.exception(
                        eventClass.getName(),
                        "its key is '" + property + "', which is no field, record component or getter of an event."));
    }

    private static KeyProperty ofStableText(Class<?> eventClass, Member member) {
        Class<?> type = member instanceof Field field ? field.getType() : ((Method) member).getReturnType();
        String problem = type == Optional.class ? null : StableText.problem(type);
        if (problem != null) {
            throw OutboxCode.BAD_EVENT_TYPE.exception(
                    eventClass.getName(), "its key (" + member.getName() + ") has no stable text: " + problem + ".");
        }
        return new KeyProperty(member);
    }

    /** The fields and methods of a class and its supertypes, without the synthetic ones. */
    private static Stream<Member> members(Class<?> eventClass) {
        return supertypes(eventClass).stream()
                .flatMap(type -> Stream.<Member>concat(
                        Arrays.stream(type.getDeclaredFields()), Arrays.stream(type.getDeclaredMethods())))
                .filter(member -> !member.isSynthetic());
    }

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

    String name() {
        return member.getName();
    }

    public String read(Object event) {
        String key;
        try {
            Object value = member instanceof Field field ? field.get(event) : ((Method) member).invoke(event);
            key = text(value);
        } catch (InvocationTargetException e) {
            throw unreadable(event, e.getCause());
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw unreadable(event, e);
        }
        if (key == null) {
            throw OutboxCode.NULL_KEY.exception(event.getClass().getName(), name());
        }
        if (key.length() > MAX_LENGTH) {
            throw OutboxCode.KEY_TOO_LONG.exception(event.getClass().getName(), name(), key.length(), MAX_LENGTH);
        }
        String wrong = TextCheck.problem(key);
        if (wrong != null) {
            throw OutboxCode.KEY_UNREADABLE.exception(event.getClass().getName(), name(), "it " + wrong);
        }
        return key;
    }

    /** Two equal keys must have the same text, on every node and at any time. */
    private static String text(Object value) {
        if (value instanceof Optional<?> optional) {
            return text(optional.orElse(null));
        }
        if (value instanceof OptionalInt optional) {
            return optional.isPresent() ? text(optional.getAsInt()) : null;
        }
        if (value instanceof OptionalLong optional) {
            return optional.isPresent() ? text(optional.getAsLong()) : null;
        }
        if (value instanceof OptionalDouble optional) {
            return optional.isPresent() ? text(optional.getAsDouble()) : null;
        }
        String problem = StableText.problemOf(value);
        if (problem != null) {
            throw new IllegalArgumentException(problem);
        }
        return value == null ? null : value.toString();
    }

    private RuntimeException unreadable(Object event, Throwable cause) {
        return OutboxCode.KEY_UNREADABLE.exception(cause, event.getClass().getName(), name(), FailureReason.of(cause));
    }
}
