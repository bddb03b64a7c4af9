package dev.cdioutbox.jms.internal.send;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import jakarta.jms.JMSException;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig.JmsConfig;

/**
 * Maps a stored message to JMS: the body, and the properties that an external destination does not get. Consumers
 * select by type and properties, and never need the event's class.
 */
final class MessageMapping {
    private static final String CLOUD_EVENTS = "cloudEvents_";

    private MessageMapping() {}

    static TextMessage toJms(OutboxMessage message, Session session, DestinationConfig config, JmsConfig jms)
            throws JMSException {
        TextMessage text = session.createTextMessage(message.body().text());
        OutboxMessage.Event event = message.event();
        OutboxMessage.Context context = message.context();
        text.setJMSType(event.type());
        if (!config.external()) {
            // With its own id, the first message of a chain begins it, since the messages that it causes inherit this
            // id.
            text.setJMSCorrelationID(
                    context.correlationId() == null ? message.id().toString() : context.correlationId());
        }
        text.setIntProperty("schemaVersion", event.version());
        if (!config.external()) {
            // The capture strips the row of an external destination; only the sequence is left out here.
            Long origin = context.originSequence();
            text.setLongProperty("sequence", origin == null ? message.sequence() : origin);
        }
        Map<String, String> properties = properties(message, config, jms);
        for (Map.Entry<String, String> property : properties.entrySet()) {
            text.setStringProperty(property.getKey(), property.getValue());
        }
        optional(text, EncodedProperties.NAME, EncodedProperties.of(properties));
        if (config.groupByKey()) {
            optional(text, "JMSXGroupID", event.key());
        }
        return text;
    }

    /** The text properties that the message has. */
    private static Map<String, String> properties(OutboxMessage message, DestinationConfig config, JmsConfig jms) {
        OutboxMessage.Event event = message.event();
        OutboxMessage.Context context = message.context();
        Map<String, String> properties = new TreeMap<>();
        properties.put("messageId", message.id().toString());
        properties.put("eventType", event.type());
        properties.put("occurredAt", message.occurredAt().toString());
        properties.put("contentType", message.body().contentType());
        properties.put("aggregateType", event.aggregateType());
        properties.put("aggregateId", event.key());
        if (!config.external()) {
            // A delayed message has left its key's order. A consumer that checks the order must not skip it as
            // overtaken.
            Instant notBefore = message.terms().notBefore();
            properties.put("deliverNotBefore", notBefore == null ? null : notBefore.toString());
            properties.put("tenantId", context.tenantId());
            properties.put("causationId", context.causationId());
        }
        Map<String, String> headers = headers(context, config);
        if (jms.cloudEvents()) {
            addCloudEvent(properties, message, jms.source(), headers);
        }
        properties.putAll(headers);
        properties.values().removeIf(Objects::isNull);
        return properties;
    }

    private static void optional(TextMessage text, String property, String value) throws JMSException {
        if (value != null) {
            text.setStringProperty(property, value);
        }
    }

    /** Rows captured before a destination became external are not stripped, so their headers are not sent. */
    private static Map<String, String> headers(OutboxMessage.Context context, DestinationConfig config) {
        return config.external() && !context.external() ? Map.of() : context.headers();
    }

    /**
     * Writes the attributes of CloudEvents 1.0 as properties, in binary mode: the text stays the event. CloudEvents has
     * no binding for JMS. The names are those of the AMQP binding for JMS clients, which AMQP brokers translate.
     *
     * @param headers the message's headers, which the caller sets afterwards: a header with the name of an attribute
     *     overwrites the attribute
     */
    private static void addCloudEvent(
            Map<String, String> properties, OutboxMessage message, String source, Map<String, String> headers) {
        attribute(properties, "specversion", "1.0");
        attribute(properties, "id", message.id().toString());
        attribute(properties, "source", source);
        attribute(properties, "type", message.event().type());
        attribute(properties, "subject", message.event().key());
        attribute(properties, "time", message.occurredAt().toString());
        attribute(properties, "datacontenttype", message.body().contentType());
        // The extension for distributed tracing.
        attribute(properties, "traceparent", headers.get("traceparent"));
        attribute(properties, "tracestate", headers.get("tracestate"));
    }

    /** The specification does not allow empty attributes. */
    private static void attribute(Map<String, String> properties, String name, String value) {
        if (value != null && !value.isEmpty()) {
            properties.put(CLOUD_EVENTS + name, value);
        }
    }
}
