package dev.cdioutbox.internal.transport;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import dev.cdioutbox.OutboxMessage;

/** The texts that a message carries beside its payload, on every transport: properties of a JMS message, headers of a record. */
public final class Envelope {
    /** The key, in a message whose aggregate id is another one. */
    public static final String KEY = "messageKey";

    private Envelope() {}

    /**
     * The texts by their names.
     *
     * @param external whether the destination is external: then without internal headers and ids
     * @param options whether the texts are those of a CloudEvent, too
     * @param cloudEvents what stands before the attributes of CloudEvents in this transport's binding
     * @return a new map without nulls
     */
    public static Map<String, String> of(
            OutboxMessage message, boolean external, MessageOptions options, String cloudEvents) {
        OutboxMessage.Event event = message.event();
        OutboxMessage.Context context = message.context();
        Map<String, String> texts = new TreeMap<>();
        texts.put("messageId", message.id().toString());
        texts.put("eventType", event.type());
        texts.put("occurredAt", message.occurredAt().toString());
        texts.put("contentType", message.body().contentType());
        texts.put("aggregateType", event.aggregateType());
        texts.put("aggregateId", event.aggregateId());
        if (event.aggregateId() != null && !event.aggregateId().equals(event.key())) {
            // Empty, since consumers would take the aggregate's id for the key of a message without one.
            texts.put(KEY, Objects.requireNonNullElse(event.key(), ""));
        }
        if (!external) {
            // A delayed message has left its key's order. A consumer that checks the order must not skip it as
            // overtaken.
            Instant notBefore = message.terms().notBefore();
            texts.put("deliverNotBefore", notBefore == null ? null : notBefore.toString());
            texts.put("tenantId", context.tenantId());
            texts.put("causationId", context.causationId());
        }
        // Rows captured before a destination became external are not stripped, so their headers are not sent.
        Map<String, String> headers = external && !context.external() ? Map.of() : context.headers();
        if (options.cloudEvents()) {
            addCloudEvent(texts, cloudEvents, message, options.source(), headers);
        }
        // Last: a header with the name of an attribute overwrites the attribute.
        texts.putAll(headers);
        texts.values().removeIf(Objects::isNull);
        return texts;
    }

    /** The key of a received message, from two of its texts, each of which may be null; null without a key. */
    public static String key(String messageKey, String aggregateId) {
        String key = messageKey == null ? aggregateId : messageKey;
        return key == null || key.isEmpty() ? null : key;
    }

    /** That of the original, for a copy: so consumers see it before what was fired later. */
    public static long sequence(OutboxMessage message) {
        Long origin = message.context().originSequence();
        return origin == null ? message.sequence() : origin;
    }

    /** With its own id, the first message of a chain begins it, since the messages that it causes inherit this id. */
    public static String correlationId(OutboxMessage message) {
        return Objects.requireNonNullElse(
                message.context().correlationId(), message.id().toString());
    }

    /** Writes the attributes of CloudEvents 1.0 in binary mode: the payload stays the event. */
    private static void addCloudEvent(
            Map<String, String> texts,
            String prefix,
            OutboxMessage message,
            String source,
            Map<String, String> headers) {
        Map<String, String> attributes = new TreeMap<>();
        attributes.put("specversion", "1.0");
        attributes.put("id", message.id().toString());
        attributes.put("source", source);
        attributes.put("type", message.event().type());
        attributes.put("subject", message.event().aggregateId());
        attributes.put("time", message.occurredAt().toString());
        attributes.put("datacontenttype", message.body().contentType());
        // The extension for distributed tracing.
        attributes.put("traceparent", headers.get("traceparent"));
        attributes.put("tracestate", headers.get("tracestate"));
        // The specification does not allow empty attributes.
        attributes.values().removeIf(value -> value == null || value.isEmpty());
        attributes.forEach((name, value) -> texts.put(prefix + name, value));
    }
}
