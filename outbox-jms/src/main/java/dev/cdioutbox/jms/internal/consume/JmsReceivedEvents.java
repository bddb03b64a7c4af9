package dev.cdioutbox.jms.internal.consume;

import java.util.Collections;
import java.util.Map;
import java.util.Objects;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.TextMessage;

import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.ReceivedEvent;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.consume.ApplicationJsonb;
import dev.cdioutbox.internal.consume.ReceivedJsonEvent;
import dev.cdioutbox.jms.ReceivedEvents;
import dev.cdioutbox.jms.internal.send.EncodedProperties;

/** Reads JMS messages, and their payloads with the application's own JSON-B, if it has one. */
@ApplicationScoped
public class JmsReceivedEvents implements ReceivedEvents {
    @Inject
    @Any
    Instance<Object> beans;

    private volatile Object jsonb;

    @Override
    public ReceivedEvent read(Message message) {
        return readJson(message);
    }

    ReceivedJsonEvent readJson(Message message) {
        try {
            OutboxPayload payload = payload(message);
            Map<String, String> headers = EncodedProperties.texts(message);
            headers.keySet().removeIf(name -> name.startsWith("JMS"));
            String type = headers.getOrDefault("eventType", message.getJMSType());
            return new ReceivedJsonEvent(type, Collections.unmodifiableMap(headers), payload, this::jsonb);
        } catch (JMSException e) {
            throw OutboxCode.EVENT_UNREADABLE.exception(e, "without an id", "of an unknown type", FailureReason.of(e));
        }
    }

    private static OutboxPayload payload(Message message) throws JMSException {
        if (message instanceof TextMessage text) {
            return OutboxPayload.text(Objects.requireNonNullElse(text.getText(), ""));
        }
        if (message instanceof BytesMessage binary) {
            byte[] bytes = new byte[Math.toIntExact(binary.getBodyLength())];
            // An interceptor may have read it already.
            binary.reset();
            binary.readBytes(bytes);
            return OutboxPayload.binary(bytes);
        }
        // No other kind of message is read: deserialization of an ObjectMessage could run foreign code.
        throw OutboxCode.EVENT_UNREADABLE.exception(
                "without an id", "of an unknown type", "it is neither a text message nor a bytes message");
    }

    /**
     * Created on first use and typed as Object: without the JSON-B feature, a method with its type would break this
     * bean.
     */
    private Object jsonb() {
        if (jsonb == null) {
            jsonb = ApplicationJsonb.of(beans);
        }
        return jsonb;
    }
}
