package dev.cdioutbox.jms.internal.send;

import java.util.Map;

import jakarta.jms.JMSException;
import jakarta.jms.TextMessage;

import dev.cdioutbox.OutboxMessage;

/**
 * The attributes of CloudEvents 1.0 as properties, in binary mode: the text stays the event. There is no binding for JMS; the
 * names are those that the AMQP binding has for JMS clients, which AMQP brokers translate.
 */
final class CloudEvents {
    private static final String PREFIX = "cloudEvents_";

    private CloudEvents() {}

    /**
     * @param headers what else travels: a header with the name of an attribute is set later, and so goes before it
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

    /** What is there is not empty: the specification has no empty attributes. */
    private static void set(TextMessage text, String attribute, String value) throws JMSException {
        if (value != null && !value.isEmpty()) {
            text.setStringProperty(PREFIX + attribute, value);
        }
    }
}
