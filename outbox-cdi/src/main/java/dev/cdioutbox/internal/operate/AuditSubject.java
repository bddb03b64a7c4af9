package dev.cdioutbox.internal.operate;

import java.io.StringReader;
import java.util.UUID;
import java.util.stream.Collectors;

import jakarta.json.Json;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonReader;

import dev.cdioutbox.OutboxFilter;

/**
 * The subject of an operation in the audit and the log: the filter or the message id, as a JSON object. The subject of an
 * operation in batches also has its name, and the highest sequence that it has processed. Each batch extends the entry
 * in its own transaction. A repeated batch begins below that sequence, and changes nothing.
 */
final class AuditSubject {
    private static final String OPERATION = "operation";
    private static final String LAST = "last";

    /** The start of a batch: each batch of an operation has another one. */
    private static final String AFTER = "afterSequence";

    /** In characters of the JSON, so that a filter with a long value for each criterion fits into the column. */
    private static final int LONGEST = 200;

    /** In characters of the JSON: a control character is escaped as six. */
    private static final int LONGEST_ESCAPE = 6;

    private AuditSubject() {}

    static String of(UUID id) {
        return Json.createObjectBuilder().add("id", id.toString()).build().toString();
    }

    static String of(OutboxFilter filter) {
        return of(filter, null, null);
    }

    /**
     * The subject of an operation in batches.
     *
     * @param name the name of the operation; null for an operation in one batch
     * @param last the highest sequence that the first batch has processed; null if no more batches follow
     */
    static String of(OutboxFilter filter, String name, Long last) {
        JsonObjectBuilder json = Json.createObjectBuilder();
        add(json, OPERATION, name);
        if (!filter.statuses().isEmpty()) {
            json.add(
                    "status",
                    filter.statuses().stream().map(Enum::name).sorted().collect(Collectors.joining(",")));
        }
        add(json, "type", filter.eventType());
        add(json, "key", filter.key());
        add(json, "destination", filter.destination());
        add(json, "correlation", filter.correlationId());
        add(json, "causation", filter.causationId());
        add(json, "tenant", filter.tenantId());
        add(json, "from", filter.createdFrom());
        add(json, "before", filter.createdBefore());
        add(json, "error", filter.error());
        add(json, "shadowed", filter.shadowed());
        add(json, AFTER, filter.afterSequence());
        add(json, "beforeSequence", filter.beforeSequence());
        add(json, LAST, last);
        return json.build().toString();
    }

    private static void add(JsonObjectBuilder json, String name, Object value) {
        if (value instanceof Long number) {
            json.add(name, number);
        } else if (value != null) {
            json.add(name, truncated(value.toString()));
        }
    }

    private static String truncated(String text) {
        String cut = first(text, LONGEST);
        return Json.createValue(cut).toString().length() <= LONGEST + 2 ? cut : first(text, LONGEST / LONGEST_ESCAPE);
    }

    /** Cuts between code points: some databases refuse half a surrogate pair. */
    private static String first(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        return text.substring(0, Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most);
    }

    /** The part of a subject with the name. No value of a filter can contain this part, since JSON escapes quotes. */
    static String part(String name) {
        return "\"%s\":\"%s\"".formatted(OPERATION, name);
    }

    /** The highest sequence that an operation in batches has processed; null if it is complete. */
    static Long last(String subject) {
        JsonNumber last = json(subject).getJsonNumber(LAST);
        return last == null ? null : (Long) last.longValueExact();
    }

    /** Whether the filter is that of the operation's next batch: the same one, from the end of the last batch. */
    static boolean isContinuedBy(String subject, OutboxFilter filter, String name) {
        Long last = last(subject);
        return last != null
                && last.equals(filter.afterSequence())
                && withoutProgress(subject).equals(withoutProgress(of(filter, name, null)));
    }

    private static JsonObject withoutProgress(String subject) {
        return Json.createObjectBuilder(json(subject))
                .remove(LAST)
                .remove(AFTER)
                .build();
    }

    /**
     * The subject after one more batch.
     *
     * @param last the highest sequence that the batch has processed; null if no more follow
     */
    static String extended(String subject, Long last) {
        JsonObjectBuilder extended = Json.createObjectBuilder(json(subject));
        return (last == null ? extended.remove(LAST) : extended.add(LAST, last))
                .build()
                .toString();
    }

    private static JsonObject json(String subject) {
        try (JsonReader reader = Json.createReader(new StringReader(subject))) {
            return reader.readObject();
        }
    }
}
