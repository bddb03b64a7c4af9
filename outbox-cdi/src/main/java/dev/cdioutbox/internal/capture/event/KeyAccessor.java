package dev.cdioutbox.internal.capture.event;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.cdioutbox.OutboxKey;
import dev.cdioutbox.internal.problem.Problem;

/** Reads the ordering key of an event. */
public final class KeyAccessor {
    static final int MAX_LENGTH = 255;

    private final Member member;

    private KeyAccessor(Member member) {
        this.member = member;
    }

    /**
     * The accessor of the one {@link OutboxKey} of a class or its supertypes; null if there is none.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0111 if there are two, or one that is static or no getter
     */
    static KeyAccessor of(Class<?> eventClass) {
        Map<String, Member> byProperty = new LinkedHashMap<>();
        for (Class<?> type : supertypes(eventClass, new LinkedHashSet<>())) {
            for (Field field : type.getDeclaredFields()) {
                add(byProperty, field.getName(), field, field.isAnnotationPresent(OutboxKey.class));
            }
            for (Method method : type.getDeclaredMethods()) {
                boolean marked = method.isAnnotationPresent(OutboxKey.class) && !method.isBridge();
                if (marked && (method.getParameterCount() > 0 || method.getReturnType() == void.class)) {
                    throw Problem.BAD_EVENT_TYPE.exception(
                            eventClass.getName(), "@OutboxKey is on " + method.getName() + ", which is not a getter.");
                }
                add(byProperty, method.getName(), method, marked);
            }
        }
        if (byProperty.size() > 1) {
            throw Problem.BAD_EVENT_TYPE.exception(
                    eventClass.getName(),
                    "@OutboxKey is on more than one property (" + String.join(", ", byProperty.keySet())
                            + "). Keep one; make a compound key of its own type with a toString().");
        }
        return byProperty.isEmpty()
                ? null
                : new KeyAccessor(
                        orItsGetter(eventClass, byProperty.values().iterator().next()));
    }

    /** Prefers the getter: a proxy has empty copies of the fields, and its getters call the real object. */
    private static Member orItsGetter(Class<?> eventClass, Member marked) {
        if (!(marked instanceof Field field)) {
            return marked;
        }
        Set<String> getters = getters(field.getName());
        for (Class<?> type : supertypes(eventClass, new LinkedHashSet<>())) {
            for (Method method : type.getDeclaredMethods()) {
                if (method.getParameterCount() == 0
                        && method.getReturnType() == field.getType()
                        && !Modifier.isStatic(method.getModifiers())
                        && getters.contains(method.getName())
                        && method.trySetAccessible()) {
                    return method;
                }
            }
        }
        return marked;
    }

    private static Set<String> getters(String property) {
        String capital = property.substring(0, 1).toUpperCase(Locale.ROOT) + property.substring(1);
        return Set.of(property, "get" + capital, "is" + capital);
    }

    /**
     * The accessor of a property by its name: a field, a record component or a getter.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0111 if there is none
     */
    static KeyAccessor named(Class<?> eventClass, String property) {
        Set<String> getters = getters(property);
        Map<String, Member> found = new LinkedHashMap<>();
        for (Class<?> type : supertypes(eventClass, new LinkedHashSet<>())) {
            for (Method method : type.getDeclaredMethods()) {
                boolean getter = method.getParameterCount() == 0 && method.getReturnType() != void.class;
                add(found, property, method, getter && !method.isBridge() && getters.contains(method.getName()));
            }
            for (Field field : type.getDeclaredFields()) {
                add(found, property, field, field.getName().equals(property));
            }
        }
        if (found.isEmpty()) {
            throw Problem.BAD_EVENT_TYPE.exception(
                    eventClass.getName(),
                    "@Outbox(key) names the property '" + property + "', which it does not have.");
        }
        return new KeyAccessor(found.get(property));
    }

    /** The class and all its supertypes: each of them may declare the key. */
    private static Set<Class<?>> supertypes(Class<?> type, Set<Class<?>> all) {
        if (type != null && type != Object.class && all.add(type)) {
            supertypes(type.getSuperclass(), all);
            for (Class<?> implemented : type.getInterfaces()) {
                supertypes(implemented, all);
            }
        }
        return all;
    }

    /** A record component appears as a field and as an accessor of the same name: they are one property. */
    private static void add(Map<String, Member> byProperty, String property, Member member, boolean marked) {
        if (marked && !byProperty.containsKey(property)) {
            if (Modifier.isStatic(member.getModifiers())) {
                throw Problem.BAD_EVENT_TYPE.exception(
                        member.getDeclaringClass().getName(),
                        "the key is on " + property + ", which is static and so no key of one event.");
            }
            // If the JVM refuses this, the member may still be public; otherwise read() reports the problem.
            ((AccessibleObject) member).trySetAccessible();
            byProperty.put(property, member);
        }
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
        String wrong = Texts.problem(key);
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
