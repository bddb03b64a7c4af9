package dev.cdioutbox.internal.config;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * The values that a key may have.
 *
 * @param kind what they are; for a range, followed by its limits
 * @param from the lowest value of a range; null without a range
 * @param to the highest value of a range; null without a range
 * @param parser throws IllegalArgumentException or DateTimeException for any other text
 */
record ValueType<T>(String kind, String from, String to, Function<String, T> parser) {
    static final ValueType<Boolean> FLAG = matching("(?i)true|false", "true or false", Boolean::valueOf);

    /** What an operator may write, to follow "allowed is". */
    String allowed() {
        return from == null ? kind : kind + " from " + from + " to " + to;
    }

    /** Any text. */
    static ValueType<String> text(String what) {
        return new ValueType<>(what, null, null, text -> text);
    }

    static ValueType<String> matching(String pattern, String allowed) {
        return matching(pattern, allowed, text -> text);
    }

    private static <T> ValueType<T> matching(String pattern, String allowed, Function<String, T> parser) {
        return new ValueType<>(allowed, null, null, text -> {
            if (!text.matches(pattern)) {
                throw new IllegalArgumentException(text);
            }
            return parser.apply(text);
        });
    }

    /** Two words, of which the second means true. */
    static ValueType<Boolean> either(String no, String yes) {
        return matching(no + "|" + yes, no + " or " + yes, yes::equals);
    }

    /** The constants of an enum, in lower case with dashes. */
    static <E extends Enum<E>> ValueType<E> oneOf(Class<E> type) {
        List<String> allowed = Arrays.stream(type.getEnumConstants())
                .map(constant -> constant.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                .toList();
        return matching(String.join("|", allowed), String.join(" or ", allowed), text -> type.getEnumConstants()[
                allowed.indexOf(text)]);
    }

    static ValueType<Integer> integers(int from, int to) {
        return range("a whole number", String.valueOf(from), String.valueOf(to), Integer::valueOf);
    }

    static ValueType<Duration> durations(String from, String to) {
        return range("an ISO-8601 duration such as PT5S,", from, to, Duration::parse);
    }

    /** Zero, or a duration of the range. */
    static ValueType<Duration> zeroOrDurations(String from, String to) {
        ValueType<Duration> range = durations(from, to);
        return new ValueType<>("PT0S, or " + range.kind, from, to, text -> {
            Duration value = Duration.parse(text);
            return value.isZero() ? value : range.parser.apply(text);
        });
    }

    private static <T extends Comparable<T>> ValueType<T> range(
            String kind, String from, String to, Function<String, T> parser) {
        T least = parser.apply(from);
        T most = parser.apply(to);
        return new ValueType<>(kind, from, to, text -> {
            T value = parser.apply(text);
            if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
                throw new IllegalArgumentException(text);
            }
            return value;
        });
    }
}
