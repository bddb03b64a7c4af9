package dev.cdioutbox.internal.observe.log;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The fields of a log line about a message, for machines: names and values in a fixed order, without unknown ones. */
final class Fields {
    private static final String PLAIN = "[\\w.:/@+-]+";

    /** Characters that some viewer of logs takes as the end of a line. */
    private static final Pattern BREAKING = Pattern.compile("[\\p{Cntrl}\\x80-\\x9f\\u2028\\u2029]");

    private final Map<String, String> values = new LinkedHashMap<>();

    private Fields() {}

    static Fields of(String action, Object eventId, String eventType, String correlationId) {
        return new Fields()
                .and("outbox_action", action)
                .and("outbox_event_id", eventId)
                .and("event_type", eventType)
                .and("correlation_id", correlationId);
    }

    Fields and(String name, Object value) {
        if (value != null) {
            values.put(name, value.toString());
        }
        return this;
    }

    Map<String, String> values() {
        return Collections.unmodifiableMap(values);
    }

    /** All fields in one line. Quotes foreign values, which could otherwise forge a log line or a field. */
    @Override
    public String toString() {
        return values.entrySet().stream()
                .map(field -> field.getKey() + "=" + quoted(field.getValue()))
                .collect(Collectors.joining(" "));
    }

    /** A plain value unchanged; any other one in quotes and in one line. */
    static String quoted(Object any) {
        String value = String.valueOf(any);
        if (value.matches(PLAIN)) {
            return value;
        }
        String escaped = value.replaceAll("[\"\\\\]", "\\\\$0");
        return '"'
                + BREAKING.matcher(escaped)
                        .replaceAll(c -> "\\\\u%04x".formatted(c.group().codePointAt(0)))
                + '"';
    }
}
