package dev.cdioutbox.internal.code;

import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Looks through the causes of a failure, because containers and drivers wrap exceptions. */
public final class Causes {
    private Causes() {}

    /** Whether a failure, or one of its causes, is what is wanted. */
    public static boolean any(Throwable failure, Predicate<Throwable> wanted) {
        return chain(failure).anyMatch(wanted);
    }

    /** The failure, or the first of its causes, that has this type; null if none has. */
    public static <T extends Throwable> T first(Throwable failure, Class<T> type) {
        return chain(failure)
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst()
                .orElse(null);
    }

    static Stream<Throwable> chain(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, e -> e.getCause() == e ? null : e.getCause());
    }
}
