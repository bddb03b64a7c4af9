package dev.cdioutbox.testing;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** What may be annotated for one thing, the most important first. */
record Annotated(List<AnnotatedElement> elements) {
    static final Annotated NOTHING = new Annotated(List.of());

    /** A class, its superclasses and interfaces, and its package. */
    static Annotated of(Class<?> type) {
        return new Annotated(Stream.concat(supertypes(type), Stream.ofNullable(type.getPackage()))
                .toList());
    }

    /** A class, its superclasses, and the interfaces of all of them; not Object. */
    static Stream<Class<?>> supertypes(Class<?> type) {
        return type == null || type == Object.class
                ? Stream.empty()
                : Stream.of(
                                Stream.of(type),
                                supertypes(type.getSuperclass()),
                                Stream.of(type.getInterfaces()).flatMap(Annotated::supertypes))
                        .flatMap(Function.identity());
    }

    <A extends Annotation> Stream<A> all(Class<A> annotation) {
        return elements.stream()
                .map(element -> element.getAnnotation(annotation))
                .filter(Objects::nonNull);
    }

    <A extends Annotation> Optional<A> find(Class<A> annotation) {
        return all(annotation).findFirst();
    }
}
