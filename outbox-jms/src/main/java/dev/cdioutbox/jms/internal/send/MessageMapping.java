package dev.cdioutbox.jms.internal.send;

import java.util.Map;

import jakarta.jms.JMSException;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig.JmsConfig;
import dev.cdioutbox.internal.dispatch.Envelope;

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

    static TextMessage toJms(OutboxMessage message, Session session, DestinationConfig config, JmsConfig jms)
            throws JMSException {
        TextMessage text = session.createTextMessage(message.body().text());
        OutboxMessage.Event event = message.event();
        text.setJMSType(event.type());
        if (!config.external()) {
            text.setJMSCorrelationID(Envelope.correlationId(message));
        }
        text.setIntProperty("schemaVersion", event.version());
        if (!config.external()) {
            // The capture strips the row of an external destination; only the place in the order is left out here.
            text.setLongProperty("sequence", Envelope.sequence(message));
            // A copy was stored later than the original, whose sequence it has.
            boolean copy = message.context().originSequence() != null;
            optional(text, "storedAt", copy ? null : message.createdAt().toString());
        }
        Map<String, String> properties = Envelope.of(message, config.external(), jms, CLOUD_EVENTS);
        for (Map.Entry<String, String> property : properties.entrySet()) {
            text.setStringProperty(property.getKey(), property.getValue());
        }
        optional(text, EncodedProperties.NAME, EncodedProperties.of(properties));
        if (config.groupByKey()) {
            optional(text, "JMSXGroupID", event.key());
        }
        return text;
    }

    private static void optional(TextMessage text, String property, String value) throws JMSException {
        if (value != null) {
            text.setStringProperty(property, value);
        }
    }
}
