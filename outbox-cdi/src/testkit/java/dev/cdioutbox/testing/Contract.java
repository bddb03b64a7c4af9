package dev.cdioutbox.testing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The shapes of payloads as a file has them: a line for each version of an event type, and below it one for each value without parts.
 *
 * <pre>
 * OrderPlaced 1
 *   customer.name: string
 *   lines[].quantity: integer
 * </pre>
 *
 * @param shapes by type and version, the lines by the places of the values
 */
record Contract(SortedMap<String, SortedMap<String, String>> shapes) {
    private static final String HEADER = """
            # The payloads of the events in the outbox, which consumers read. EventContracts compares the event classes
            # with them, and adds what is new. If a line is changed or removed, consumers have to follow.
            """;

    /** A place, in which a name in quotes may have anything, and a type. */
    private static final Pattern LINE = Pattern.compile("  ((?:[^\":]|\"(?:[^\"\\\\]|\\\\.)*\")+): (.+)");

    private static final Pattern VERSION = Pattern.compile("(.+) (\\d+)");

    static String name(String type, int version) {
        return type + " " + version;
    }

    static Contract parse(String text) {
        SortedMap<String, SortedMap<String, String>> shapes = new TreeMap<>();
        SortedMap<String, String> last = new TreeMap<>();
        for (String line : text.lines().toList()) {
            Matcher value = LINE.matcher(line);
            if (value.matches()) {
                last.put(value.group(1), value.group(2));
            } else if (VERSION.matcher(line).matches()) {
                last = shapes.computeIfAbsent(line, event -> new TreeMap<>());
            } else if (!line.isBlank() && !line.startsWith("#")) {
                throw new IllegalArgumentException(
                        "this line has neither a type with its version, nor a place with its type after two spaces: "
                                + line);
            }
        }
        return new Contract(shapes);
    }

    @Override
    public String toString() {
        return HEADER
                + shapes.entrySet().stream()
                        .map(event -> "\n" + event.getKey() + "\n"
                                + event.getValue().entrySet().stream()
                                        .map(line -> "  " + line.getKey() + ": " + line.getValue() + "\n")
                                        .collect(Collectors.joining()))
                        .collect(Collectors.joining());
    }

    /** Both. */
    Contract and(Contract other) {
        SortedMap<String, SortedMap<String, String>> both = new TreeMap<>();
        BiConsumer<String, SortedMap<String, String>> add = (event, lines) ->
                both.computeIfAbsent(event, any -> new TreeMap<>()).putAll(lines);
        shapes.forEach(add);
        other.shapes.forEach(add);
        return new Contract(both);
    }

    /** What this one lacks of the code's. */
    List<String> additions(Contract code) {
        List<String> found = new ArrayList<>();
        code.shapes.forEach((event, lines) -> {
            SortedMap<String, String> known = shapes.get(event);
            if (known == null) {
                found.add(event + " is new");
            } else {
                lines.forEach((place, type) -> {
                    if (!known.containsKey(place)) {
                        found.add(event + ": \"" + place + "\" is new: " + type);
                    }
                });
            }
        });
        return found;
    }

    /** What this one promises and the code does not keep. A version below one of the code is history. */
    List<String> breaches(Contract code) {
        List<String> found = new ArrayList<>();
        shapes.forEach((event, lines) -> {
            SortedMap<String, String> now = code.shapes.get(event);
            if (now != null) {
                lines.forEach((place, type) -> {
                    if (!type.equals(now.get(place))) {
                        found.add(event + ": \"" + place + "\" " + change(type, now.get(place)));
                    }
                });
            } else if (code.shapes.keySet().stream().noneMatch(other -> isBelow(event, other))) {
                found.add(event + ": nothing fires it any more");
            }
        });
        return found;
    }

    private static String change(String before, String now) {
        if (now == null) {
            return "is gone: was " + before;
        }
        if (!before.startsWith(Shape.ENUM) || !now.startsWith(Shape.ENUM)) {
            return "was " + before + ", is " + now;
        }
        Set<String> added = without(now, before);
        Set<String> removed = without(before, now);
        return (added.isEmpty() ? "" : "has new constants: " + String.join(", ", added))
                + (added.isEmpty() || removed.isEmpty() ? "" : "; ")
                + (removed.isEmpty() ? "" : "has lost constants: " + String.join(", ", removed));
    }

    private static Set<String> without(String all, String others) {
        Set<String> left = constants(all);
        left.removeAll(constants(others));
        return left;
    }

    private static Set<String> constants(String type) {
        return new LinkedHashSet<>(
                Arrays.asList(type.substring(Shape.ENUM.length()).split(Pattern.quote(Shape.OR))));
    }

    private static boolean isBelow(String event, String other) {
        Matcher one = VERSION.matcher(event);
        Matcher two = VERSION.matcher(other);
        return one.matches()
                && two.matches()
                && one.group(1).equals(two.group(1))
                && Integer.parseInt(one.group(2)) < Integer.parseInt(two.group(2));
    }
}
