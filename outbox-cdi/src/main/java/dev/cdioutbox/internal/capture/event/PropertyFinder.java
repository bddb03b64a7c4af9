package dev.cdioutbox.internal.capture.event;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.cdioutbox.internal.capture.event.EventProperty.Use;
import dev.cdioutbox.internal.code.OutboxCode;

/**
 * Finds the property of an event class that holds the ordering key or the aggregate's id: an annotated or named field, record
 * component or getter. Prefers a getter to a field, since a proxy has empty fields.
 */
record PropertyFinder(Use use, Class<?> eventClass) {

    /**
     * The property that the class marks, or that its description names.
     *
     * @param name empty for none
     * @throws dev.cdioutbox.OutboxException OBX-0111 if there are two, or one that cannot be read
     */
    Optional<EventProperty> find(String name) {
        Optional<EventProperty> marked = marked();
        if (name.isBlank()) {
            return marked;
        }
        if (marked.isPresent()) {
            throw refused("it has @%s (%s), and @OutboxEvent names the %s '%s'. Keep one."
                    .formatted(use.annotation(), marked.get().name(), use.word(), name));
        }
        return Optional.of(named(name));
    }

    /**
     * The property with the one annotation of the class or its supertypes.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0111 if there are two, or one that is static or no getter
     */
    Optional<EventProperty> marked() {
        List<Member> marked =
                members().filter(member -> use.marks((AnnotatedElement) member)).toList();
        // A record component appears as a field and as an accessor of the same name: they are one property.
        Set<String> names = marked.stream().map(Member::getName).collect(Collectors.toCollection(TreeSet::new));
        if (names.size() > 1) {
            throw refused(
                    "@%s is on more than one property (%s). Keep one; make a compound %s of its own type with a toString()."
                            .formatted(use.annotation(), String.join(", ", names), use.word()));
        }
        return marked.stream().findFirst().map(this::ofMarked);
    }

    private EventProperty ofMarked(Member marked) {
        Stream<Member> getters = marked instanceof Field field
                ? getters(field.getName()).filter(getter -> typeOf(getter) == field.getType())
                : Stream.empty();
        return firstReadable(marked.getName(), Stream.concat(getters, Stream.of(marked)));
    }

    /**
     * A property by its name: a field, a record component or a getter.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0111 if there is none
     */
    EventProperty named(String property) {
        Stream<Member> fields = members()
                .filter(member -> member instanceof Field && member.getName().equals(property));
        return firstReadable(property, Stream.concat(getters(property), fields));
    }

    private Stream<Member> getters(String property) {
        String capital = property.substring(0, 1).toUpperCase(Locale.ROOT) + property.substring(1);
        Set<String> names = Set.of(property, "get" + capital, "is" + capital);
        return members().filter(member -> member instanceof Method && names.contains(member.getName()));
    }

    /** The fields and methods of the class and its supertypes, without the synthetic ones. */
    private Stream<Member> members() {
        return EventClass.supertypes(eventClass).stream()
                .flatMap(type -> Stream.<Member>concat(
                        Arrays.stream(type.getDeclaredFields()), Arrays.stream(type.getDeclaredMethods())))
                .filter(member -> !member.isSynthetic());
    }

    private EventProperty firstReadable(String property, Stream<Member> candidates) {
        Member found = candidates
                .filter(PropertyFinder::isReadable)
                .findFirst()
                .orElseThrow(() -> refused("its %s is '%s', which is no field, record component or getter of an event."
                        .formatted(use.word(), property)));
        requireStableText(found);
        return new EventProperty(use, found);
    }

    private static boolean isReadable(Member member) {
        return !Modifier.isStatic(member.getModifiers())
                && (!(member instanceof Method method)
                        || method.getParameterCount() == 0 && method.getReturnType() != void.class);
    }

    private void requireStableText(Member member) {
        Class<?> type = typeOf(member);
        String problem = type == Optional.class ? null : StableText.problem(type);
        if (problem != null) {
            throw refused("its %s (%s) has no stable text: %s.".formatted(use.word(), member.getName(), problem));
        }
    }

    private static Class<?> typeOf(Member member) {
        return member instanceof Field field ? field.getType() : ((Method) member).getReturnType();
    }

    private RuntimeException refused(String problem) {
        return OutboxCode.BAD_EVENT_TYPE.exception(eventClass.getName(), problem);
    }
}
