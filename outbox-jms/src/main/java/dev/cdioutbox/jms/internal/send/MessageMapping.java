package dev.cdioutbox.jms.internal.send;

import java.util.Map;

import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Session;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.internal.transport.Envelope;
import dev.cdioutbox.internal.transport.MessageOptions;
import dev.cdioutbox.internal.transport.TransportDestination;

/**
 * Maps a stored message to JMS: the body, and the properties that an external destination does not get. Consumers
 * select by type and properties, and never need the event's class.
 */
final class MessageMapping {
    /**
     * CloudEvents has no binding for JMS. The names are those of the AMQP binding for JMS clients, which AMQP brokers
     * translate.
     */
    private static final String CLOUD_EVENTS = "cloudEvents_";

    private MessageMapping() {}

    static Message toJms(OutboxMessage message, Session session, TransportDestination config, MessageOptions options)
            throws JMSException {
        Message sent = body(message.body().payload(), session);
        OutboxMessage.Event event = message.event();
        sent.setJMSType(event.type());
        if (!config.external()) {
            sent.setJMSCorrelationID(Envelope.correlationId(message));
        }
        sent.setIntProperty("schemaVersion", event.version());
        if (!config.external()) {
            // The capture strips the row of an external destination; only the place in the order is left out here.
            sent.setLongProperty("sequence", Envelope.sequence(message));
            // A copy was stored later than the original, whose sequence it has.
            boolean copy = message.context().originSequence() != null;
            optional(sent, "storedAt", copy ? null : message.createdAt().toString());
        }
        Map<String, String> properties = Envelope.of(message, config.external(), options, CLOUD_EVENTS);
        for (Map.Entry<String, String> property : properties.entrySet()) {
            sent.setStringProperty(property.getKey(), property.getValue());
        }
        optional(sent, EncodedProperties.NAME, EncodedProperties.of(properties));
        if (config.groupByKey()) {
            optional(sent, "JMSXGroupID", event.key());
        }
        return sent;
    }

    private static Message body(OutboxPayload payload, Session session) throws JMSException {
        if (!payload.isBinary()) {
            return session.createTextMessage(payload.text());
        }
        BytesMessage bytes = session.createBytesMessage();
        bytes.writeBytes(payload.toBytes());
        return bytes;
    }

    private static void optional(Message sent, String property, String value) throws JMSException {
        if (value != null) {
            sent.setStringProperty(property, value);
        }
    }
}
