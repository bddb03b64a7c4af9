package dev.cdioutbox.jms.internal.consume;

import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.Map;
import java.util.Vector;

import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.TextMessage;

import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.jms.ReceivedEvents;

/** Messages as a broker hands them to a consumer. */
public final class ReceivedMessages {
    private ReceivedMessages() {}

    public static ReceivedEvents events() {
        return new JmsReceivedEvents();
    }

    public static Message of(OutboxPayload payload, String type, int version) {
        Map<String, String> properties = Map.of(
                "messageId",
                "m1",
                "eventType",
                type,
                "schemaVersion",
                String.valueOf(version),
                "contentType",
                "avro/binary");
        Class<? extends Message> kind = payload.isBinary() ? BytesMessage.class : TextMessage.class;
        return of(kind, payload, properties);
    }

    /** A message of a kind that its payload may not have. */
    static <T extends Message> T of(Class<T> type, OutboxPayload payload, Map<String, String> properties) {
        return fake(type, (method, arguments) -> switch (method) {
            case "getText" -> payload == null ? null : payload.text();
            case "getBodyLength" -> (long) payload.size();
            case "readBytes" -> {
                System.arraycopy(payload.toBytes(), 0, (byte[]) arguments[0], 0, payload.size());
                yield payload.size();
            }
            case "getPropertyNames" -> Collections.enumeration(new Vector<>(properties.keySet()));
            case "getStringProperty" -> properties.get((String) arguments[0]);
            default -> null;
        });
    }

    /** An object that answers each call. */
    public static <T> T fake(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> call.on(method.getName(), arguments)));
    }

    public interface Call {
        Object on(String method, Object[] arguments) throws JMSException;
    }
}
