package dev.cdioutbox.internal.config;

import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;

import dev.cdioutbox.internal.problem.Problem;

/**
 * The keys of one outbox among all properties. A key of the default outbox begins with {@code outbox.}; that of a named
 * one with {@code outbox.outboxes.<name>.}. A named outbox inherits missing values from the default one.
 */
public final class OutboxKeys {
    /** The name of the default outbox. */
    public static final String DEFAULT_OUTBOX = "default";

    private static final String PREFIX = "outbox.";
    private static final String OUTBOXES = "outbox.outboxes.";
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,32}");

    private final String outbox;
    private final String own;
    private final Function<String, Optional<String>> source;
    private final Set<String> all = new TreeSet<>();

    /**
     * @param outbox the name of the outbox
     * @param source returns the value of a key, if set
     * @param names all keys that are set
     */
    public OutboxKeys(String outbox, Function<String, Optional<String>> source, Iterable<String> names) {
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
                    throw Problem.BAD_CONFIGURATION.exception(" " + key + " names the outbox '" + name
                            + "'; allowed are 1 to 32 letters, digits, - and _, and not " + DEFAULT_OUTBOX
                            + ", whose keys begin with " + PREFIX);
                }
                outboxes.add(name);
            }
        }
        return outboxes;
    }

    /**
     * The value of a key.
     *
     * @param key spelled as for the default outbox
     */
    Optional<String> value(String key) {
        return source.apply(spelled(key));
    }

    /** The spelling under which the configuration has this key. */
    String spelled(String key) {
        return source.apply(mine(key)).isPresent() ? mine(key) : key;
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

    /** The keys that are set for this outbox only. */
    Set<String> own() {
        Set<String> names = new TreeSet<>();
        for (String name : all) {
            if (name.startsWith(own) && (isOfNamed() || !name.startsWith(OUTBOXES))) {
                names.add(name);
            }
        }
        return names;
    }

    /** Whether this is a named outbox. */
    boolean isOfNamed() {
        return !own.equals(PREFIX);
    }
}
