package dev.cdioutbox.internal.capture.event;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxKey;
import dev.cdioutbox.internal.problem.Problem;

/**
 * Reads the ordering key of an event from its annotated field, component or getter. Prefers a getter to a field, since
 * a proxy has empty fields.
 */
public final class KeyAccessor {
    static final int MAX_LENGTH = 255;

    private final Member member;

    private KeyAccessor(Member member) {
        this.member = member;
        // If the JVM refuses this, the member may still be public; otherwise read() reports the problem.
        ((AccessibleObject) member).trySetAccessible();
    }

    /**
     * The accessor of the one {@link OutboxKey} of a class or its supertypes; null if there is none.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0111 if there are two, or one that is static or no getter
     */
    static KeyAccessor of(Class<?> eventClass) {
        // A record component appears as a field and as an accessor of the same name: they are one property.
        Map<String, Member> byProperty = new LinkedHashMap<>();
        members(eventClass)
                .filter(member -> ((AnnotatedElement) member).isAnnotationPresent(OutboxKey.class))
                .forEach(member -> byProperty.putIfAbsent(member.getName(), readable(eventClass, member)));
        if (byProperty.size() > 1) {
            throw Problem.BAD_EVENT_TYPE.exception(
                    eventClass.getName(),
                    "@OutboxKey is on more than one property (" + String.join(", ", byProperty.keySet())
                            + "). Keep one; make a compound key of its own type with a toString().");
        }
        return byProperty.values().stream()
                .map(marked -> marked instanceof Field field ? getterOrField(eventClass, field) : marked)
                .map(KeyAccessor::new)
                .findFirst()
                .orElse(null);
    }

    private static Member readable(Class<?> eventClass, Member marked) {
        if (Modifier.isStatic(marked.getModifiers())) {
            throw Problem.BAD_EVENT_TYPE.exception(
                    eventClass.getName(),
                    "the key is on " + marked.getName() + ", which is static and so no key of one event.");
        }
        if (marked instanceof Method method
                && (method.getParameterCount() > 0 || method.getReturnType() == void.class)) {
            throw Problem.BAD_EVENT_TYPE.exception(
                    eventClass.getName(), "@OutboxKey is on " + method.getName() + ", which is not a getter.");
        }
        return marked;
    }

    /**
     * The accessor of a property by its name: a field, a record component or a getter.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0111 if there is none
     */
    static KeyAccessor named(Class<?> eventClass, String property) {
        return new KeyAccessor(property(eventClass, property));
    }

    /** A proxy has empty copies of the fields, and its getters call the real object. */
    private static Member getterOrField(Class<?> eventClass, Field marked) {
        return getter(eventClass, marked.getName(), marked.getType()).orElse(marked);
    }

    private static Member property(Class<?> eventClass, String name) {
        return getter(eventClass, name, null)
                .or(() -> instanceMembers(eventClass)
                        .filter(member ->
                                member instanceof Field && member.getName().equals(name))
                        .findFirst())
                .orElseThrow(() -> Problem.BAD_EVENT_TYPE.exception(
                        eventClass.getName(),
                        "@Outbox(key) names the property '" + name + "', which it does not have."));
    }

    /** @param type the type of the getter; null for any */
    private static Optional<Member> getter(Class<?> eventClass, String property, Class<?> type) {
        String capital = property.substring(0, 1).toUpperCase(Locale.ROOT) + property.substring(1);
        Set<String> names = Set.of(property, "get" + capital, "is" + capital);
        return instanceMembers(eventClass)
                .filter(member ->
                        member instanceof Method method && names.contains(method.getName()) && isGetter(method, type))
                .findFirst();
    }

    private static Stream<Member> instanceMembers(Class<?> eventClass) {
        return members(eventClass).filter(member -> !Modifier.isStatic(member.getModifiers()));
    }

    private static boolean isGetter(Method method, Class<?> type) {
        Class<?> returned = method.getReturnType();
        return method.getParameterCount() == 0 && (type == null ? returned != void.class : returned == type);
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
            throw Problem.NULL_KEY.exception(event.getClass().getName(), name());
        }
        if (key.length() > MAX_LENGTH) {
            throw Problem.KEY_TOO_LONG.exception(event.getClass().getName(), name(), key.length(), MAX_LENGTH);
        }
        String wrong = TextCheck.problem(key);
        if (wrong != null) {
            throw Problem.KEY_UNREADABLE.exception(event.getClass().getName(), name(), "it " + wrong);
        }
        return key;
    }

    /** Two equal keys must have the same text, on every node and at any time. */
    private static String text(Object value) {
        if (value instanceof Optional<?> optional) {
            return text(optional.orElse(null));
        }
        String text = value == null ? null : value.toString();
        if (text != null && isTextOfObject(text, value)) {
            throw new IllegalArgumentException(value.getClass().getTypeName()
                    + " has no toString() of its own, so equal keys would have other texts");
        }
        return text;
    }

    /** Whether the text is that of {@link Object#toString()}. */
    private static boolean isTextOfObject(String text, Object value) {
        String begin = value.getClass().getName() + "@";
        return text.startsWith(begin) && text.equals(begin + Integer.toHexString(value.hashCode()));
    }

    private RuntimeException unreadable(Object event, Throwable cause) {
        return Problem.KEY_UNREADABLE.exception(cause, event.getClass().getName(), name(), Problem.reason(cause));
    }
}
