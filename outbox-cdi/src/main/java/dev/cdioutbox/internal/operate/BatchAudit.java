package dev.cdioutbox.internal.operate;

import java.io.StringReader;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonReader;

import dev.cdioutbox.OutboxFilter;

/**
 * The audit entry of an operation in batches: its name, its filter, and the highest sequence that it has processed.
 * Each batch extends the entry in its own transaction. A repeated batch begins below that sequence, and changes
 * nothing.
 *
 * @param subject the subject of the entry
 */
record BatchAudit(JsonObject subject) {
    /** In entries. An operation may last for an hour, and other operators may write this many entries meanwhile. */
    static final int RECENT = 1000;

    private static final String NAME = "operation";
    private static final String LAST = "last";

    static BatchAudit begin(OutboxFilter filter, String name) {
        JsonObjectBuilder subject = Json.createObjectBuilder().add(NAME, name);
        return new BatchAudit(subject.addAll(Json.createObjectBuilder(AuditSubject.json(filter)))
                .build());
    }

    static BatchAudit of(String subject) {
        try (JsonReader reader = Json.createReader(new StringReader(subject))) {
            return new BatchAudit(reader.readObject());
        }
    }

    /** The part of the subject with the name. No value of a filter can contain this part, since JSON escapes quotes. */
    static String part(String name) {
        return "\"%s\":\"%s\"".formatted(NAME, name);
    }

    /** The highest sequence that the operation has processed; null if it is complete. */
    Long last() {
        return subject.containsKey(LAST) ? (Long) subject.getJsonNumber(LAST).longValueExact() : null;
    }

    /**
     * The subject after one more batch.
     *
     * @param last the highest sequence that the batch has processed; null if no more follow
     */
    String reached(Long last) {
        JsonObjectBuilder reached = Json.createObjectBuilder(subject);
        return (last == null ? reached.remove(LAST) : reached.add(LAST, last))
                .build()
                .toString();
    }
}
