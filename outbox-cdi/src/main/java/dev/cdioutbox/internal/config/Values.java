package dev.cdioutbox.internal.config;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Reads typed values and collects the problems, so that one message can name every wrong key. */
final class Values {
    private final OutboxKeys keys;
    private final Set<String> problems = new LinkedHashSet<>();
    private final Set<String> asked = new TreeSet<>();

    Values(OutboxKeys keys) {
        this.keys = keys;
    }

    List<String> problems() {
        return List.copyOf(problems);
    }

    Set<String> asked() {
        return asked;
    }

    void wrong(String key, Object value, String allowed) {
        problems.add((key.startsWith("outbox.outboxes.") ? key : keys.spelled(key)) + " is '" + value + "'; allowed is "
                + allowed);
    }

    String text(String key, String fallback) {
        asked.add(keys.spelled(key));
        return keys.value(key).map(String::strip).filter(s -> !s.isEmpty()).orElse(fallback);
    }

    String matching(String key, String fallback, String pattern, String allowed) {
        String text = text(key, fallback);
        if (!text.matches(pattern)) {
            wrong(key, text, allowed);
            return fallback;
        }
        return text;
    }

    Integer integer(String key, Integer fallback, int from, int to) {
        return inRange(key, fallback, from, to, Integer::valueOf, "a whole number from %s to %s");
    }

    double number(String key, double fallback, double from, double to) {
        return inRange(key, fallback, from, to, Double::valueOf, "a number from %s to %s");
    }

    boolean flag(String key, boolean fallback) {
        String text = text(key, String.valueOf(fallback));
        if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
            wrong(key, text, "true or false");
            return fallback;
        }
        return Boolean.parseBoolean(text);
    }

    Duration duration(String key, Duration fallback, Duration from, Duration to) {
        return inRange(
                key, fallback, from, to, Duration::parse, "an ISO-8601 duration from %s to %s, for example PT5S");
    }

    /** @param fallback null for a key without a default */
    private <T extends Comparable<T>> T inRange(
            String key, T fallback, T from, T to, Function<String, T> parser, String allowed) {
        String text = text(key, fallback == null ? null : fallback.toString());
        if (text == null) {
            return null;
        }
        try {
            T value = parser.apply(text);
            if (value.compareTo(from) >= 0 && value.compareTo(to) <= 0) {
                return value;
            }
        } catch (NumberFormatException | DateTimeParseException unreadable) {
            // reported below, like a value out of range
        }
        wrong(key, text, allowed.formatted(from, to));
        return fallback;
    }

    <E extends Enum<E>> E choice(String key, E fallback, Class<E> type) {
        String text = text(key, spelled(fallback));
        for (E candidate : type.getEnumConstants()) {
            if (spelled(candidate).equals(text)) {
                return candidate;
            }
        }
        String allowed =
                Arrays.stream(type.getEnumConstants()).map(Values::spelled).collect(Collectors.joining(" or "));
        wrong(key, text, allowed);
        return fallback;
    }

    private static String spelled(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
