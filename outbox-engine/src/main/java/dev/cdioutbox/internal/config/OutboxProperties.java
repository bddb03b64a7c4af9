package dev.cdioutbox.internal.config;

import java.time.DateTimeException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.cdioutbox.internal.code.OutboxCode;

/**
 * The properties of one outbox among all properties. A key of the default outbox begins with {@code outbox.}; that of a
 * named one with {@code outbox.outboxes.<name>.}. A named outbox inherits missing values from the default one.
 *
 * <p>Reads the values of keys, and collects wrong values and the names that were read: one message names every wrong
 * key, and the keys that nothing has read have no effect.
 */
public final class OutboxProperties {
    private static final String OUTBOXES = ConfigKey.PREFIX + "outboxes.";
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,32}");

    /** A destination's name may have dots, and so have its keys. */
    private static final Pattern OF_DESTINATION = Pattern.compile(Pattern.quote(ConfigKey.DESTINATIONS) + "(.+?)\\.(?:"
            + ConfigKey.all().stream()
                    .filter(key -> key.scope() != ConfigKey.Scope.OUTBOX)
                    .map(key -> key.of("").substring(ConfigKey.DESTINATIONS.length() + 1))
                    .map(OutboxProperties::pattern)
                    .collect(Collectors.joining("|"))
            + ")");

    private static String pattern(String key) {
        return key.endsWith(ConfigKey.PROPERTY)
                ? Pattern.quote(key.substring(0, key.length() - ConfigKey.PROPERTY.length())) + ".+"
                : Pattern.quote(key);
    }

    private static final Pattern MISSPELT =
            Pattern.compile(Pattern.quote(ConfigKey.DESTINATIONS) + "(.+?)(?:\\.(?:dispatcher|retry))?\\.[^.]+");

    private static final Pattern OF_DEAD_LETTERS =
            Pattern.compile(Pattern.quote(ConfigKey.PREFIX) + "dead-letters\\.(.+)\\.[^.]+");

    private final String outbox;
    private final String own;
    private final Function<String, Optional<String>> source;
    /** What the source has answered, since a value for all destinations is looked up anew for each of them. */
    private final Map<String, Optional<String>> values = new HashMap<>();

    private final Set<String> all = new TreeSet<>();
    /** Every name that applies to this outbox, spelled as for the default outbox. */
    private final NavigableSet<String> names = new TreeSet<>();

    private final Map<String, Reading> readings = new HashMap<>();
    private final Set<String> problems = new TreeSet<>();

    /** What a key had as its value, and whether that was set. */
    record Reading(ConfigKey<?> key, Object value, boolean isSet) {}

    /**
     * @param outbox the name of the outbox
     * @param source returns the value of a property, if set
     * @param names the names of all properties
     */
    public OutboxProperties(String outbox, Function<String, Optional<String>> source, Iterable<String> names) {
        this.outbox = outbox;
        this.own = prefix(outbox);
        this.source = source;
        names.forEach(name -> {
            if (name.startsWith(ConfigKey.PREFIX)) {
                all.add(name);
            }
        });
        all.stream().filter(name -> !name.startsWith(OUTBOXES)).forEach(this.names::add);
        all.stream().filter(name -> name.startsWith(own)).map(this::ofDefault).forEach(this.names::add);
    }

    /** What the names of an outbox's own keys begin with. */
    static String prefix(String outbox) {
        return outbox.equals(OutboxConfig.DEFAULT_OUTBOX) ? ConfigKey.PREFIX : OUTBOXES + outbox + ".";
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
                if (!NAME.matcher(name).matches() || name.equals(OutboxConfig.DEFAULT_OUTBOX)) {
                    throw OutboxCode.BAD_CONFIGURATION.exception(" " + key + " names the outbox '" + name
                            + "'; allowed are 1 to 32 letters, digits, - and _, and not " + OutboxConfig.DEFAULT_OUTBOX
                            + ", whose keys begin with " + ConfigKey.PREFIX);
                }
                outboxes.add(name);
            }
        }
        return outboxes;
    }

    /** The destinations that have a key. */
    Set<String> destinations() {
        Set<String> destinations = new TreeSet<>();
        for (String name : names) {
            Matcher known = OF_DESTINATION.matcher(name);
            Matcher misspelt = MISSPELT.matcher(name);
            if (known.matches()) {
                destinations.add(known.group(1));
            } else if (misspelt.matches()) {
                destinations.add(misspelt.group(1));
            }
        }
        return destinations;
    }

    /** The queues of dead letters that have a key. */
    Set<String> deadLetters() {
        return names.stream()
                .map(OF_DEAD_LETTERS::matcher)
                .filter(Matcher::matches)
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The names that begin with this prefix and apply to this outbox, spelled as for the default outbox. */
    Stream<String> namesWith(String prefix) {
        return names.tailSet(prefix).stream().takeWhile(name -> name.startsWith(prefix));
    }

    /** The value of a key, or its default. */
    <T> T get(ConfigKey<T> key) {
        return get(key, (String) null);
    }

    /** The value for one destination, or else for all of them. Null means all of them. */
    <T> T get(ConfigKey<T> key, String destination) {
        boolean isGlobal = destination == null || key.scope() == ConfigKey.Scope.DESTINATION;
        return read(key, key.of(destination), isGlobal ? key.fallback() : get(key));
    }

    /** The value of a key, or a default that depends on other keys. */
    <T> T getOr(ConfigKey<T> key, T fallback) {
        return read(key, key.toString(), fallback);
    }

    /** The value of a key that a named outbox does not inherit, or null. */
    <T> T getOwn(ConfigKey<T> key) {
        if (isInherited(key)) {
            readings.put(key.toString(), new Reading(key, null, false));
            return null;
        }
        return get(key);
    }

    /** @param name spelled as for the default outbox */
    <T> T read(ConfigKey<T> key, String name, T fallback) {
        String text = text(name);
        T value = text.isEmpty() ? fallback : parsed(key, name, text, fallback);
        readings.put(name, new Reading(key, value, !text.isEmpty()));
        return value;
    }

    /** The value as it is set; empty if it is not. */
    String text(String name) {
        return value(spelled(name)).map(String::strip).orElse("");
    }

    private Optional<String> value(String name) {
        return values.computeIfAbsent(name, source);
    }

    private <T> T parsed(ConfigKey<T> key, String name, String text, T fallback) {
        try {
            return key.type().parser().apply(text);
        } catch (IllegalArgumentException | DateTimeException unreadable) {
            wrong(name, text, key.type().allowed());
            return fallback;
        }
    }

    /** @param name spelled as for the default outbox, or with the prefix of this one */
    void wrong(String name, Object value, String allowed) {
        problems.add(spelled(name) + " is '" + value + "'; allowed is " + allowed);
    }

    /** The wrong values so far. */
    Set<String> problems() {
        return problems;
    }

    /** The values that were read, by their names, which are spelled as for the default outbox. */
    Map<String, Reading> readings() {
        return readings;
    }

    /** The spelling under which the configuration has this name. */
    String spelled(String name) {
        return value(mine(name)).isPresent() ? mine(name) : name;
    }

    /** The name under which the value of a destination is set: its own, or else that of all destinations. */
    String name(ConfigKey<?> key, String destination) {
        String name = key.of(destination);
        return spelled(text(name).isEmpty() ? key.toString() : name);
    }

    /** Whether this is a named outbox without a value of its own for this key. */
    boolean isInherited(ConfigKey<?> key) {
        return !spelled(key.toString()).equals(mine(key.toString()));
    }

    /** The name with the prefix of this outbox. */
    String mine(String name) {
        return own + name.substring(ConfigKey.PREFIX.length());
    }

    /** A name of this outbox, spelled as for the default outbox. */
    private String ofDefault(String mine) {
        return ConfigKey.PREFIX + mine.substring(own.length());
    }

    /** The keys of outboxes with a name that the other properties do not have; only the default outbox answers for them. */
    List<String> ofOutboxesMissingIn(OutboxProperties other) {
        if (!own.equals(ConfigKey.PREFIX)) {
            return List.of();
        }
        Set<String> missing = outboxes(all);
        missing.removeAll(outboxes(other.all));
        return all.stream()
                .filter(name -> missing.stream().anyMatch(outbox -> name.startsWith(OUTBOXES + outbox + ".")))
                .toList();
    }

    /** The keys of this outbox only that are set but were not read, each with a similar known key. */
    List<String> unread() {
        List<String> unread = all.stream()
                .filter(name -> name.startsWith(own) && (!own.equals(ConfigKey.PREFIX) || !name.startsWith(OUTBOXES)))
                .filter(name -> !readings.containsKey(ofDefault(name)))
                .toList();
        return unread.isEmpty() ? unread : unknown(unread);
    }

    private List<String> unknown(List<String> unread) {
        Set<String> read = readings.keySet().stream().map(this::spelled).collect(Collectors.toSet());
        Set<String> known = read.stream().map(OutboxProperties::inEnvironment).collect(Collectors.toSet());
        return unread.stream()
                // The variable OUTBOX_CONSOLE_PATH appears in lower case with dots, too, and has an effect.
                .filter(name -> !known.contains(inEnvironment(name)))
                .map(name -> name + Spelling.suggestion(name, read))
                .toList();
    }

    /** The name of the environment variable that MicroProfile Config reads for a key. */
    private static String inEnvironment(String name) {
        return name.replaceAll("[^A-Za-z0-9]", "_").toUpperCase(Locale.ROOT);
    }
}
