package dev.cdioutbox.internal.observe.log;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** The fields of a log line about a message, for machines: names and values in a fixed order, without unknown ones. */
final class Fields {
    private static final String PLAIN = "[\\w.:/@+-]+";

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
        StringBuilder text = new StringBuilder("\"");
        value.codePoints().forEach(c -> {
            if (c == '"' || c == '\\') {
                text.append('\\').appendCodePoint(c);
            } else if (Character.isISOControl(c) || c == 0x2028 || c == 0x2029) {
                text.append("\\u%04x".formatted(c));
            } else {
                text.appendCodePoint(c);
            }
        });
        return text.append('"').toString();
    }
}
