package dev.cdioutbox.internal.operate;

import java.io.StringReader;
import java.util.List;
import java.util.Optional;

import jakarta.json.Json;
import jakarta.json.JsonException;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonReader;

import dev.cdioutbox.OutboxAuditEntry;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.internal.operate.BatchedOperations.OperationBatch;

/**
 * The audit entry of a named batch, from which a repeated call learns the result. Written in the transaction of the
 * batch.
 */
final class BatchAudit {
    /** A repeated call comes within minutes; other operators may have written so many entries since. */
    static final int RECENT = 200;

    private static final String NAME = "batch";
    private static final String LAST = "last";

    private BatchAudit() {}

    /** @param last the highest sequence that was looked at; null if no more follow */
    static String of(OutboxFilter filter, String name, Long last) {
        JsonObjectBuilder subject = AuditSubject.json(filter).add(NAME, name);
        return (last == null ? subject : subject.add(LAST, last)).build().toString();
    }

    /** The result of the batch with this name, if it was executed. */
    static Optional<OperationBatch> find(List<OutboxAuditEntry> entries, String name) {
        return entries.stream()
                .filter(operation -> operation.subject().contains(name))
                .flatMap(operation -> parse(operation, name).stream())
                .findFirst();
    }

    private static Optional<OperationBatch> parse(OutboxAuditEntry operation, String name) {
        try (JsonReader reader = Json.createReader(new StringReader(operation.subject()))) {
            JsonObject subject = reader.readObject();
            Long last = subject.containsKey(LAST) ? subject.getJsonNumber(LAST).longValueExact() : null;
            return name.equals(subject.getString(NAME, null))
                    ? Optional.of(new OperationBatch(operation.changed(), last))
                    : Optional.empty();
        } catch (JsonException | ClassCastException | ArithmeticException notANote) {
            // The subject is a destination, or was truncated; it only contains the name.
            return Optional.empty();
        }
    }
}
