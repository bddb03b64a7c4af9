package dev.cdioutbox.jms.internal.send;

import java.util.Map;
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
        if (context.correlationId() != null && !config.external()) {
            text.setJMSCorrelationID(context.correlationId());
        }
        text.setStringProperty("messageId", message.id().toString());
        text.setStringProperty("eventType", event.type());
        text.setIntProperty("schemaVersion", event.version());
        text.setStringProperty("occurredAt", message.occurredAt().toString());
        text.setStringProperty("contentType", message.body().contentType());
        optional(text, "aggregateType", event.aggregateType());
        optional(text, "aggregateId", event.key());
        if (!config.external()) {
            // The capture strips the row of an external destination; only the sequence is left out here.
            text.setLongProperty("sequence", message.sequence());
            if (message.terms().notBefore() != null) {
                // A delayed message has left its key's order. A consumer that checks the order must not skip it as
                // overtaken.
                text.setStringProperty(
                        "deliverNotBefore", message.terms().notBefore().toString());
            }
            optional(text, "tenantId", context.tenantId());
            optional(text, "causationId", context.causationId());
        }
        Map<String, String> headers = headers(context, config);
        if (jms.cloudEvents()) {
            addCloudEvent(text, message, jms.source(), headers);
        }
        for (Map.Entry<String, String> header : headers.entrySet()) {
            text.setStringProperty(header.getKey(), header.getValue());
        }
        if (config.groupByKey()) {
            optional(text, "JMSXGroupID", event.key());
        }
        return text;
    }

    /** Rows captured before a destination became external are not stripped, so their headers are not sent. */
    private static Map<String, String> headers(OutboxMessage.Context context, DestinationConfig config) {
        Map<String, String> headers = new TreeMap<>(context.headers());
        boolean stripped = headers.remove(OutboxMessage.Context.EXTERNAL) != null;
        return config.external() && !stripped ? Map.of() : headers;
    }

    private static void optional(TextMessage text, String property, String value) throws JMSException {
        if (value != null) {
            text.setStringProperty(property, value);
        }
    }

    /**
     * Writes the attributes of CloudEvents 1.0 as properties, in binary mode: the text stays the event. CloudEvents has
     * no binding for JMS. The names are those of the AMQP binding for JMS clients, which AMQP brokers translate.
     *
     * @param headers the message's headers, which the caller sets afterwards: a header with the name of an attribute
     *     overwrites the attribute
     */
    private static void addCloudEvent(
            TextMessage text, OutboxMessage message, String source, Map<String, String> headers) throws JMSException {
        attribute(text, "specversion", "1.0");
        attribute(text, "id", message.id().toString());
        attribute(text, "source", source);
        attribute(text, "type", message.event().type());
        attribute(text, "subject", message.event().key());
        attribute(text, "time", message.occurredAt().toString());
        attribute(text, "datacontenttype", message.body().contentType());
        // The extension for distributed tracing.
        attribute(text, "traceparent", headers.get("traceparent"));
        attribute(text, "tracestate", headers.get("tracestate"));
    }

    /** The specification does not allow empty attributes. */
    private static void attribute(TextMessage text, String name, String value) throws JMSException {
        if (value != null && !value.isEmpty()) {
            text.setStringProperty(CLOUD_EVENTS + name, value);
        }
    }
}
