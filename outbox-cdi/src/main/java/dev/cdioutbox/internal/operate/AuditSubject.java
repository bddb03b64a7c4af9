package dev.cdioutbox.internal.operate;

import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import jakarta.json.Json;
import jakarta.json.JsonObjectBuilder;

import dev.cdioutbox.internal.deadletter.DeadLetterFilter;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;

/** The subject of an operation in the audit and the log: filter and range, or the message id, as a JSON object. */
final class AuditSubject {
    private AuditSubject() {}

    static String of(String id) {
        return Json.createObjectBuilder().add("id", id).build().toString();
    }

    static String of(OutboxFilter filter, OutboxPageRequest range) {
        JsonObjectBuilder json = Json.createObjectBuilder();
        if (!filter.statuses().isEmpty()) {
            json.add(
                    "status",
                    filter.statuses().stream().map(Enum::name).sorted().collect(Collectors.joining(",")));
        }
        add(json, "type", filter.eventType());
        add(json, "key", filter.key());
        add(json, "aggregate", filter.aggregateId());
        add(json, "destination", filter.destination());
        add(json, "correlation", filter.correlationId());
        add(json, "causation", filter.causationId());
        add(json, "tenant", filter.tenantId());
        add(json, "from", filter.createdFrom());
        add(json, "before", filter.createdBefore());
        add(json, "error", filter.error());
        add(json, "shadowed", filter.shadowed());
        add(json, "afterSequence", range.after());
        add(json, "beforeSequence", range.before());
        return json.build().toString();
    }

    static String of(String queue, DeadLetterFilter filter) {
        JsonObjectBuilder json = Json.createObjectBuilder().add("queue", queue);
        add(json, "message", filter.message());
        add(json, "type", filter.type());
        add(json, "key", filter.key());
        return json.build().toString();
    }

    static String ofBackfill(String destination, String source, Set<String> types, Instant from) {
        return Json.createObjectBuilder()
                .add("destination", destination)
                .add("source", source)
                .add("type", String.join(",", new TreeSet<>(types)))
                .add("from", from.toString())
                .build()
                .toString();
    }

    private static void add(JsonObjectBuilder json, String name, Object value) {
        if (value instanceof Long number) {
            json.add(name, number);
        } else if (value != null) {
            json.add(name, value.toString());
        }
    }
}
