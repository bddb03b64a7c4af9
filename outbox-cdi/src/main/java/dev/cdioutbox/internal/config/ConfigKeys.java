package dev.cdioutbox.internal.config;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.code.OutboxCode;

/**
 * The keys of one outbox among all properties. A key of the default outbox begins with {@code outbox.}; that of a named
 * one with {@code outbox.outboxes.<name>.}. A named outbox inherits missing values from the default one.
 *
 * <p>Reads typed values, and collects wrong values and the keys that were read: one message names every wrong key, and
 * the keys that nothing has read have no effect.
 */
public final class ConfigKeys {
    /** The name of the default outbox. */
    public static final String DEFAULT_OUTBOX = "default";

    private static final String PREFIX = "outbox.";
    private static final String OUTBOXES = "outbox.outboxes.";
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,32}");

    private final String outbox;
    private final String own;
    private final Function<String, Optional<String>> source;
    private final Set<String> all = new TreeSet<>();
    private final Map<String, String> texts = new TreeMap<>();
    private final Set<String> problems = new LinkedHashSet<>();

    /**
     * @param outbox the name of the outbox
     * @param source returns the value of a key, if set
     * @param names all keys that are set
     */
    public ConfigKeys(String outbox, Function<String, Optional<String>> source, Iterable<String> names) {
        this.outbox = outbox;
        this.own = outbox.equals(DEFAULT_OUTBOX) ? PREFIX : OUTBOXES + outbox + ".";
        this.source = source;
        names.forEach(name -> {
            if (name.startsWith(PREFIX)) {
                all.add(name);
            }
        });
    }

    /** The name of the outbox. */
    String outbox() {
        return outbox;
    }

    /**
     * The named outboxes: all with own keys.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0201 if a name is not allowed
     */
    static Set<String> outboxes(Iterable<String> names) {
        Set<String> outboxes = new TreeSet<>();
        for (String key : names) {
            int end = key.startsWith(OUTBOXES) ? key.indexOf('.', OUTBOXES.length()) : -1;
            if (end > 0) {
                String name = key.substring(OUTBOXES.length(), end);
                if (!NAME.matcher(name).matches() || name.equals(DEFAULT_OUTBOX)) {
                    throw OutboxCode.BAD_CONFIGURATION.exception(" " + key + " names the outbox '" + name
                            + "'; allowed are 1 to 32 letters, digits, - and _, and not " + DEFAULT_OUTBOX
                            + ", whose keys begin with " + PREFIX);
                }
                outboxes.add(name);
            }
        }
        return outboxes;
    }

    /** The spelling under which the configuration has this key. */
    String spelled(String key) {
        return source.apply(mine(key)).isPresent() ? mine(key) : key;
    }

    /** Whether this is a named outbox without a value of its own for this key. */
    boolean isInherited(String key) {
        return !spelled(key).equals(mine(key));
    }

    /** The key with the prefix of this outbox. */
    String mine(String key) {
        return own + key.substring(PREFIX.length());
    }

    /** Every key that applies to this outbox, spelled as for the default outbox. */
    Set<String> names() {
        Set<String> names = new TreeSet<>();
        for (String name : all) {
            if (!name.startsWith(OUTBOXES)) {
                names.add(name);
            } else if (name.startsWith(own)) {
                names.add(PREFIX + name.substring(own.length()));
            }
        }
        return names;
    }

    /** The keys of this outbox only that are set but were not read, each with a similar known key. */
    List<String> unread() {
        Set<String> read = texts.keySet().stream().map(this::spelled).collect(Collectors.toSet());
        Set<String> known = read.stream().map(ConfigKeys::inEnvironment).collect(Collectors.toSet());
        return all.stream()
                .filter(key -> key.startsWith(own) && (!own.equals(PREFIX) || !key.startsWith(OUTBOXES)))
                // OUTBOX_DISPATCHER_BATCH_SIZE also appears as outbox.dispatcher.batch.size, and has an effect.
                .filter(key -> !known.contains(inEnvironment(key)))
                .map(key -> key + Spelling.suggestion(key, read))
                .toList();
    }

    /** The name of the environment variable that MicroProfile Config reads for a key. */
    private static String inEnvironment(String key) {
        return key.replaceAll("[^A-Za-z0-9]", "_").toUpperCase(Locale.ROOT);
    }

    /** The wrong values so far. */
    Set<String> problems() {
        return problems;
    }

    /** @param key spelled as for the default outbox, or with the prefix of this one */
    void wrong(String key, Object value, String allowed) {
        problems.add(spelled(key) + " is '" + value + "'; allowed is " + allowed);
    }

    /**
     * The value of a key, or the fallback.
     *
     * @param key spelled as for the default outbox
     */
    String text(String key, String fallback) {
        String text = source.apply(spelled(key))
                .map(String::strip)
                .filter(s -> !s.isEmpty())
                .orElse(fallback);
        texts.put(key, text);
        return text;
    }

    /** The texts of the keys that were read, spelled as for the default outbox. */
    Map<String, String> texts() {
        return texts;
    }

    String matching(String key, String fallback, String pattern, String allowed) {
        String text = text(key, fallback);
        if (!text.matches(pattern)) {
            wrong(key, text, allowed);
            return fallback;
        }
        return text;
    }

    /** Whether a key with two values has the second one; the first is the default. */
    boolean isSecond(String key, String first, String second) {
        return matching(key, first, first + "|" + second, first + " or " + second)
                .equals(second);
    }

    Integer integer(String key, Integer fallback, int from, int to) {
        return inRange(key, fallback, from, to, Integer::valueOf, "a whole number from %s to %s");
    }

    long longInteger(String key, long fallback, long from, long to) {
        return inRange(key, fallback, from, to, Long::valueOf, "a whole number from %s to %s");
    }

    double number(String key, double fallback, double from, double to) {
        return inRange(key, fallback, from, to, Double::valueOf, "a number from %s to %s");
    }

    boolean flag(String key, boolean fallback) {
        return Boolean.parseBoolean(matching(key, String.valueOf(fallback), "(?i)true|false", "true or false"));
    }

    /** All durations in the form of ISO 8601, as in the documents. */
    Duration duration(String key, String fallback, String from, String to) {
        return inRange(
                key,
                fallback == null ? null : Duration.parse(fallback),
                Duration.parse(from),
                Duration.parse(to),
                Duration::parse,
                "an ISO-8601 duration from %s to %s, for example PT5S");
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

    /** One of the constants of an enum, spelled in lower case with dashes. */
    <E extends Enum<E>> E choice(String key, E fallback) {
        List<String> allowed = Arrays.stream(fallback.getDeclaringClass().getEnumConstants())
                .map(ConfigKeys::spelling)
                .toList();
        String text = matching(key, spelling(fallback), String.join("|", allowed), String.join(" or ", allowed));
        return Enum.valueOf(
                fallback.getDeclaringClass(), text.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    private static String spelling(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
