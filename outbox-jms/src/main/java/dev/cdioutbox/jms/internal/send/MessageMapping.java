package dev.cdioutbox.jms.internal.send;

import java.util.Map;
import java.util.TreeMap;

import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.JmsConfig;

/** Maps a stored message to JMS. Consumers select by type and properties, and never need the event's class. */
final class MessageMapping {
    private MessageMapping() {}

    static TextMessage toJms(OutboxMessage message, Session session, DestinationConfig config, JmsConfig jms)
            throws JMSException {
        TextMessage text = session.createTextMessage(message.body().text());
        OutboxMessage.Event event = message.event();
        OutboxMessage.Context context = message.context();
        text.setJMSDeliveryMode(DeliveryMode.PERSISTENT);
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
            CloudEvents.describe(text, message, jms.source(), headers);
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
}
