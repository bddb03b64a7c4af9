package dev.cdioutbox.internal.operate;

import java.util.UUID;
import java.util.stream.Collectors;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.internal.store.audit.AuditTable;

/** The subject of an operation in the audit and the log: the filter or the message id, as a JSON object. */
final class AuditSubject {
    /** In characters: longer than any value of a message's columns, except the error. */
    private static final int LONGEST = 256;

    /** In characters. Eight values of control characters, each six characters in JSON, still fit into the column. */
    private static final int SHORTENED = 25;

    /** In characters, for the name and the progress of an operation in batches. */
    private static final int RESERVED = 200;

    private AuditSubject() {}

    static String of(OutboxFilter filter) {
        return json(filter).toString();
    }

    static String of(UUID id) {
        return Json.createObjectBuilder().add("id", id.toString()).build().toString();
    }

    /** Shortens values so that the JSON fits into its column: truncated JSON would be unreadable. */
    static JsonObject json(OutboxFilter filter) {
        JsonObject json = json(filter, LONGEST);
        return json.toString().length() <= AuditTable.MAX_SUBJECT_LENGTH - RESERVED ? json : json(filter, SHORTENED);
    }

    private static JsonObject json(OutboxFilter filter, int longest) {
        JsonObjectBuilder json = Json.createObjectBuilder();
        if (!filter.statuses().isEmpty()) {
            json.add(
                    "status",
                    filter.statuses().stream().map(Enum::name).sorted().collect(Collectors.joining(",")));
        }
        add(json, "type", filter.eventType(), longest);
        add(json, "key", filter.key(), longest);
        add(json, "destination", filter.destination(), longest);
        add(json, "correlation", filter.correlationId(), longest);
        add(json, "causation", filter.causationId(), longest);
        add(json, "tenant", filter.tenantId(), longest);
        add(json, "from", filter.createdFrom(), LONGEST);
        add(json, "before", filter.createdBefore(), LONGEST);
        add(json, "error", filter.error(), longest);
        add(json, "shadowed", filter.shadowed(), LONGEST);
        add(json, "afterSequence", filter.afterSequence());
        add(json, "beforeSequence", filter.beforeSequence());
        return json.build();
    }

    private static void add(JsonObjectBuilder json, String name, Long value) {
        if (value != null) {
            json.add(name, value);
        }
    }

    private static void add(JsonObjectBuilder json, String name, Object value, int longest) {
        if (value != null) {
            json.add(name, truncated(value.toString(), longest));
        }
    }

    /** Cuts between code points: some databases refuse half a surrogate pair. */
    private static String truncated(String text, int longest) {
        if (text.length() <= longest) {
            return text;
        }
        return text.substring(0, Character.isHighSurrogate(text.charAt(longest - 1)) ? longest - 1 : longest);
    }
}
