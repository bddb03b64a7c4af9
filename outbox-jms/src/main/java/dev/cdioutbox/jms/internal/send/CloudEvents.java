package dev.cdioutbox.jms.internal.send;

import java.util.Map;

import jakarta.jms.JMSException;
import jakarta.jms.TextMessage;

import dev.cdioutbox.OutboxMessage;

/**
 * Writes the attributes of CloudEvents 1.0 as properties, in binary mode: the text stays the event. CloudEvents has no
 * binding for JMS. The names are those of the AMQP binding for JMS clients, which AMQP brokers translate.
 */
final class CloudEvents {
    private static final String PREFIX = "cloudEvents_";

    private CloudEvents() {}

    /**
     * @param headers the message's headers, which the caller sets afterwards: a header with the name of an attribute
     *     overwrites the attribute
     */
    static void describe(TextMessage text, OutboxMessage message, String source, Map<String, String> headers)
            throws JMSException {
        set(text, "specversion", "1.0");
        set(text, "id", message.id().toString());
        set(text, "source", source);
        set(text, "type", message.event().type());
        set(text, "subject", message.event().key());
        set(text, "time", message.occurredAt().toString());
        set(text, "datacontenttype", message.body().contentType());
        // The extension for distributed tracing.
        set(text, "traceparent", headers.get("traceparent"));
        set(text, "tracestate", headers.get("tracestate"));
    }

    /** The specification does not allow empty attributes. */
    private static void set(TextMessage text, String attribute, String value) throws JMSException {
        if (value != null && !value.isEmpty()) {
            text.setStringProperty(PREFIX + attribute, value);
        }
    }
}
