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
 * What the audit says of a batch that has a name: enough for who never heard how it ended, and asks for it again. It is
 * written in the transaction of the batch itself.
 */
final class BatchAudit {
    /** It is asked for again within minutes; so many acts of others may have come between. */
    static final int RECENT = 200;

    private static final String NAME = "batch";
    private static final String LAST = "last";

    private BatchAudit() {}

    /** @param last the highest sequence that was looked at; null if no more follow */
    static String of(OutboxFilter filter, String name, Long last) {
        JsonObjectBuilder subject = AuditSubject.json(filter).add(NAME, name);
        return (last == null ? subject : subject.add(LAST, last)).build().toString();
    }

    /** What was done by this name, if anything was. */
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
            // A destination, or what the column had no room for; it only looks like the name.
            return Optional.empty();
        }
    }
}
