package dev.cdioutbox.internal.operate;

import java.util.UUID;
import java.util.stream.Collectors;

import jakarta.json.Json;
import jakarta.json.JsonObjectBuilder;

import dev.cdioutbox.OutboxFilter;

/** What an operation was asked to concern, as the audit and the log have it: a JSON object of what the filter names. */
final class AuditSubject {
    /** So that the column holds all of it; an error's text is the only long thing in a filter. */
    private static final int LONGEST_ERROR = 200;

    private AuditSubject() {}

    static String of(OutboxFilter filter) {
        return json(filter).build().toString();
    }

    static String of(UUID id) {
        return Json.createObjectBuilder().add("id", id.toString()).build().toString();
    }

    static JsonObjectBuilder json(OutboxFilter filter) {
        JsonObjectBuilder json = Json.createObjectBuilder();
        if (!filter.statuses().isEmpty()) {
            json.add(
                    "status",
                    filter.statuses().stream().map(Enum::name).sorted().collect(Collectors.joining(",")));
        }
        add(json, "type", filter.eventType());
        add(json, "key", filter.key());
        add(json, "destination", filter.destination());
        add(json, "from", filter.createdFrom());
        add(json, "before", filter.createdBefore());
        add(json, "error", shortened(filter.error()));
        add(json, "shadowed", filter.shadowed());
        add(json, "afterSequence", filter.afterSequence());
        add(json, "beforeSequence", filter.beforeSequence());
        return json;
    }

    private static String shortened(String error) {
        return error == null || error.length() <= LONGEST_ERROR ? error : error.substring(0, LONGEST_ERROR);
    }

    private static void add(JsonObjectBuilder json, String name, Object value) {
        if (value instanceof Long number) {
            json.add(name, number);
        } else if (value != null) {
            json.add(name, value.toString());
        }
    }
}
