package dev.cdioutbox.jms.internal.send;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.internal.store.StoredMessage.Body;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.StoredMessage.Delivery;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import dev.cdioutbox.internal.transport.MessageOptions;

/** Collects all that the mapping sets on a JMS message: a property by its name, anything else by its setter's name. */
public final class MappedProperties {
    static final UUID ID = UUID.fromString("0199f000-0000-7000-8000-000000000001");

    private MappedProperties() {}

    /** The names of all properties that the mapping itself can set. */
    public static Set<String> ofAFullMessage() {
        return names(
                new Event("OrderPlaced", 3, "Order", "customer-\ud83d\ude00", "order-1"),
                new Context("correlation", "causation", "tenant", Map.of()),
                new StoredMessage.Terms(Instant.EPOCH, null, null, null));
    }

    /** The names of the properties that each message has. */
    public static Set<String> ofAnEmptyMessage() {
        return names(new Event("OrderPlaced", 3, null, null), Context.NONE, StoredMessage.Terms.NONE);
    }

    private static Set<String> names(Event event, Context context, StoredMessage.Terms terms) {
        DestinationConfig destination =
                new DestinationConfig("jms", "jms/outbox", "jms/factory", Duration.ZERO, true, false, null, Map.of());
        try {
            return of(event, context, terms, destination).keySet().stream()
                    .filter(name -> !name.equals("text") && !name.startsWith("set"))
                    .collect(Collectors.toSet());
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }

    static Map<String, Object> of(Event event, Context context, DestinationConfig config) throws JMSException {
        return of(event, context, StoredMessage.Terms.NONE, config);
    }

    static Map<String, Object> asCloudEvent(Event event, Context context, DestinationConfig config)
            throws JMSException {
        return of(event, context, StoredMessage.Terms.NONE, config, new MessageOptions(true, "/shop", false));
    }

    static Map<String, Object> ofBinary(byte[] bytes, DestinationConfig config) throws JMSException {
        Map<String, Object> set = new TreeMap<>();
        OutboxMessage message = message(
                new Event("OrderPlaced", 1, null, null),
                new Body("avro/binary", OutboxPayload.binary(bytes)),
                Context.NONE,
                StoredMessage.Terms.NONE);
        MessageMapping.toJms(message, session(set), config, new MessageOptions(false, "/shop", false));
        return set;
    }

    private static Map<String, Object> of(
            Event event, Context context, StoredMessage.Terms terms, DestinationConfig config) throws JMSException {
        return of(event, context, terms, config, new MessageOptions(false, "/shop", false));
    }

    private static Map<String, Object> of(
            Event event, Context context, StoredMessage.Terms terms, DestinationConfig config, MessageOptions jms)
            throws JMSException {
        Map<String, Object> set = new TreeMap<>();
        MessageMapping.toJms(message(event, context, terms), session(set), config, jms);
        return set;
    }

    static OutboxMessage message(Event event, Context context, StoredMessage.Terms terms) {
        return message(event, new Body("application/json", OutboxPayload.text("{\"id\":1}")), context, terms);
    }

    private static OutboxMessage message(Event event, Body body, Context context, StoredMessage.Terms terms) {
        return new StoredMessage(
                7,
                ID,
                event,
                body,
                context,
                terms,
                new Delivery("default", OutboxStatus.PENDING, 0, null, null, null, null, null),
                Instant.parse("2026-11-21T10:00:00.123Z"),
                Instant.EPOCH);
    }

    private static Session session(Map<String, Object> set) {
        return fake(Session.class, (method, arguments) -> {
            boolean isText = method.equals("createTextMessage");
            if (isText) {
                set.put("text", arguments[0]);
            }
            Class<? extends Message> kind = isText ? TextMessage.class : BytesMessage.class;
            return fake(kind, (setter, values) -> {
                set.put(values.length == 2 ? (String) values[0] : setter, values[values.length - 1]);
                return null;
            });
        });
    }

    private static <T> T fake(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> call.on(method.getName(), arguments)));
    }

    private interface Call {
        Object on(String method, Object[] arguments);
    }
}
