package dev.cdioutbox.internal.capture.event;

import java.lang.annotation.Annotation;
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

import dev.cdioutbox.OutboxAggregateId;
import dev.cdioutbox.OutboxKey;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;

/**
 * The property of an event class that holds the ordering key or the aggregate's id: an annotated or named field, record
 * component or getter. Reads its text of an event. Prefers a getter to a field, since a proxy has empty fields.
 */
public final class EventProperty {
    static final int MAX_LENGTH = 255;

    /** What a property is for. */
    enum Use {
        KEY(OutboxKey.class, "key"),
        AGGREGATE_ID(OutboxAggregateId.class, "aggregate id");

        private final Class<? extends Annotation> annotation;
        private final String word;

        Use(Class<? extends Annotation> annotation, String word) {
            this.annotation = annotation;
            this.word = word;
        }
    }

    private final Use use;
    private final Member member;

    private EventProperty(Use use, Member member) {
        this.use = use;
        this.member = member;
        // If the JVM refuses this, the member may still be public; otherwise read() reports the problem.
        ((AccessibleObject) member).trySetAccessible();
    }

    /**
     * The property that a class marks, or that its description names; null if there is none.
     *
     * @param named empty for none
     * @throws dev.cdioutbox.OutboxException OBX-0111 if there are two, or one that cannot be read
     */
    static EventProperty of(Use use, Class<?> eventClass, String named) {
        EventProperty marked = marked(use, eventClass);
        if (named.isBlank()) {
            return marked;
        }
        if (marked != null) {
            throw OutboxCode.BAD_EVENT_TYPE.exception(
                    eventClass.getName(),
                    "it has @%s (%s), and @OutboxEvent names the %s '%s'. Keep one."
                            .formatted(use.annotation.getSimpleName(), marked.name(), use.word, named));
        }
        return named(use, eventClass, named);
    }

    /**
     * The property with the one annotation of a class or its supertypes; null if there is none.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0111 if there are two, or one that is static or no getter
     */
    static EventProperty marked(Use use, Class<?> eventClass) {
        // A record component appears as a field and as an accessor of the same name: they are one property.
        List<Member> marked = members(eventClass)
                .filter(member -> ((AnnotatedElement) member).isAnnotationPresent(use.annotation))
                .toList();
        Set<String> names = marked.stream().map(Member::getName).collect(Collectors.toCollection(TreeSet::new));
        if (names.size() > 1) {
            throw OutboxCode.BAD_EVENT_TYPE.exception(
                    eventClass.getName(),
                    "@%s is on more than one property (%s). Keep one; make a compound %s of its own type with a toString()."
                            .formatted(use.annotation.getSimpleName(), String.join(", ", names), use.word));
        }
        if (marked.isEmpty()) {
            return null;
        }
        Member first = marked.get(0);
        Stream<Member> getters = first instanceof Field field
                ? getters(eventClass, field.getName())
                        .filter(getter -> ((Method) getter).getReturnType() == field.getType())
                : Stream.empty();
        return firstReadable(use, eventClass, first.getName(), Stream.concat(getters, Stream.of(first)));
    }

    /**
     * A property by its name: a field, a record component or a getter.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0111 if there is none
     */
    static EventProperty named(Use use, Class<?> eventClass, String property) {
        Stream<Member> fields = members(eventClass)
                .filter(member -> member instanceof Field && member.getName().equals(property));
        return firstReadable(use, eventClass, property, Stream.concat(getters(eventClass, property), fields));
    }

    private static Stream<Member> getters(Class<?> eventClass, String property) {
        String capital = property.substring(0, 1).toUpperCase(Locale.ROOT) + property.substring(1);
        Set<String> names = Set.of(property, "get" + capital, "is" + capital);
        return members(eventClass).filter(member -> member instanceof Method && names.contains(member.getName()));
    }

    private static EventProperty firstReadable(
            Use use, Class<?> eventClass, String property, Stream<Member> candidates) {
        return candidates
                .filter(member -> !Modifier.isStatic(member.getModifiers()))
                .filter(member -> !(member instanceof Method method)
                        || method.getParameterCount() == 0 && method.getReturnType() != void.class)
                .findFirst()
                .map(member -> ofStableText(use, eventClass, member))
                .orElseThrow(() -> OutboxCode.BAD_EVENT_TYPE.exception(
                        eventClass.getName(),
                        "its %s is '%s', which is no field, record component or getter of an event."
                                .formatted(use.word, property)));
    }

    private static EventProperty ofStableText(Use use, Class<?> eventClass, Member member) {
        Class<?> type = member instanceof Field field ? field.getType() : ((Method) member).getReturnType();
        String problem = type == Optional.class ? null : StableText.problem(type);
        if (problem != null) {
            throw OutboxCode.BAD_EVENT_TYPE.exception(
                    eventClass.getName(),
                    "its %s (%s) has no stable text: %s.".formatted(use.word, member.getName(), problem));
        }
        return new EventProperty(use, member);
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

    /** @return null if the aggregate id is null, and so the key */
    public String read(Object event) {
        String read;
        try {
            Object value = member instanceof Field field ? field.get(event) : ((Method) member).invoke(event);
            read = text(value);
        } catch (InvocationTargetException e) {
            throw unusable(event, e.getCause(), FailureReason.of(e.getCause()));
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw unusable(event, e, FailureReason.of(e));
        }
        if (read == null && use == Use.KEY) {
            throw OutboxCode.NULL_KEY.exception(event.getClass().getName(), name());
        }
        if (read != null && read.length() > MAX_LENGTH) {
            throw use == Use.KEY
                    ? OutboxCode.KEY_TOO_LONG.exception(event.getClass().getName(), name(), read.length(), MAX_LENGTH)
                    : unusable(
                            event,
                            null,
                            "it has %s characters; at most %s are allowed".formatted(read.length(), MAX_LENGTH));
        }
        String wrong = read == null ? null : StorableText.problem(read);
        if (wrong != null) {
            throw unusable(event, null, "it " + wrong);
        }
        return read;
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

    private RuntimeException unusable(Object event, Throwable cause, String why) {
        OutboxCode code = use == Use.KEY ? OutboxCode.KEY_UNREADABLE : OutboxCode.AGGREGATE_ID_UNUSABLE;
        return code.exception(cause, event.getClass().getName(), name(), why);
    }
}
