package dev.cdioutbox.internal.operate;

import java.io.StringReader;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonReader;

import dev.cdioutbox.OutboxFilter;

/**
 * The audit entry of an operation in batches: its name, its filter, and the sequence up to which it has come. Each batch
 * extends the entry in its own transaction. A batch that is repeated begins below that sequence, and changes nothing.
 *
 * @param subject of the entry
 */
record BatchAudit(JsonObject subject) {
    /** An operation may last for an hour; other operators may write so many entries meanwhile. */
    static final int RECENT = 1000;

    private static final String NAME = "operation";
    private static final String LAST = "last";
    /** Where the first batch began; the later ones begin elsewhere. */
    private static final String AFTER = "afterSequence";

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

    /** The part of the subject that has the name. Values of a filter do not contain it: their quotes are escaped. */
    static String part(String name) {
        return "\"%s\":\"%s\"".formatted(NAME, name);
    }

    /** The highest sequence that was looked at; null if the operation is complete. */
    Long last() {
        return subject.containsKey(LAST) ? (Long) subject.getJsonNumber(LAST).longValueExact() : null;
    }

    /** Whether a filter is that of the next batch, and of the same operation. */
    boolean isContinuedBy(OutboxFilter filter) {
        return last() != null
                && last().equals(filter.afterSequence())
                && without(subject, NAME, LAST, AFTER).equals(without(AuditSubject.json(filter), AFTER));
    }

    /**
     * The subject after one more batch.
     *
     * @param last the highest sequence that was looked at; null if no more follow
     */
    String reached(Long last) {
        JsonObjectBuilder reached = Json.createObjectBuilder(without(subject, LAST));
        return (last == null ? reached : reached.add(LAST, last)).build().toString();
    }

    private static JsonObject without(JsonObject object, String... names) {
        JsonObjectBuilder rest = Json.createObjectBuilder(object);
        for (String name : names) {
            rest.remove(name);
        }
        return rest.build();
    }
}
