package dev.cdioutbox.internal.operate.console;

import java.time.Instant;
import java.util.List;
import java.util.TreeMap;

import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;

import dev.cdioutbox.OutboxAuditEntry;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxMessage.Context;
import dev.cdioutbox.OutboxMessage.Delivery;
import dev.cdioutbox.OutboxMessage.Event;
import dev.cdioutbox.OutboxPage;

/** Messages and their audit entries, as the page reads them. */
final class MessageJson {
    private MessageJson() {}

    /** With the sequence below which the next page begins; without it on the last one. */
    static JsonObject page(OutboxPage page) {
        JsonArrayBuilder messages = Json.createArrayBuilder();
        page.messages().forEach(message -> messages.add(brief(message)));
        JsonArrayBuilder unreadable = Json.createArrayBuilder();
        new TreeMap<>(page.unreadable())
                .descendingMap()
                .forEach((sequence, problem) -> unreadable.add(
                        Json.createObjectBuilder().add("sequence", sequence).add("problem", problem)));
        JsonObjectBuilder json =
                Json.createObjectBuilder().add("messages", messages).add("unreadable", unreadable);
        return page.isLast() ? json.build() : json.add("next", page.next()).build();
    }

    /**
     * @param outbox where it is
     * @param why why it waits; null if it does not
     */
    static JsonObject whole(String outbox, OutboxMessage message, List<OutboxAuditEntry> entries, String why) {
        JsonObjectBuilder json = brief(message);
        json.add("outbox", outbox);
        add(json, "why", why);
        Event event = message.event();
        Context context = message.context();
        json.add("version", event.version());
        add(json, "aggregateType", event.aggregateType());
        add(json, "contentType", message.body().contentType());
        add(json, "payload", message.body().text());
        add(json, "correlationId", context.correlationId());
        add(json, "causationId", context.causationId());
        add(json, "tenantId", context.tenantId());
        add(json, "occurredAt", message.occurredAt());
        add(json, "notBefore", message.terms().notBefore());
        add(json, "expiresAt", message.terms().expiresAt());
        add(json, "priority", message.terms().priority());
        JsonObjectBuilder headers = Json.createObjectBuilder();
        context.headers().forEach(headers::add);
        return json.add("headers", headers).add("audit", auditEntries(entries)).build();
    }

    static JsonArray auditEntries(List<OutboxAuditEntry> entries) {
        JsonArrayBuilder json = Json.createArrayBuilder();
        entries.forEach(operation -> {
            JsonObjectBuilder one = Json.createObjectBuilder().add("changed", operation.changed());
            add(one, "who", operation.who());
            add(one, "action", operation.action());
            add(one, "subject", operation.subject());
            add(one, "at", operation.at());
            json.add(one);
        });
        return json.build();
    }

    private static JsonObjectBuilder brief(OutboxMessage message) {
        Delivery delivery = message.delivery();
        JsonObjectBuilder json = Json.createObjectBuilder()
                .add("sequence", message.sequence())
                .add("attempts", delivery.attempts())
                .add("bytes", message.body().bytes());
        add(json, "id", message.id());
        add(json, "type", message.event().type());
        add(json, "key", message.event().key());
        add(json, "destination", delivery.destination());
        add(json, "status", delivery.status());
        add(json, "createdAt", message.createdAt());
        add(json, "lastAttemptAt", delivery.lastAttemptAt());
        add(json, "publishedAt", delivery.publishedAt());
        add(json, "lastError", delivery.lastError());
        return json;
    }

    private static void add(JsonObjectBuilder json, String name, Object value) {
        if (value == null) {
            json.addNull(name);
        } else if (value instanceof Integer number) {
            json.add(name, number);
        } else if (value instanceof Instant time) {
            json.add(name, time.toString());
        } else {
            json.add(name, String.valueOf(value));
        }
    }
}
