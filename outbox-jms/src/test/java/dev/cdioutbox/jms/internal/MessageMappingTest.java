package dev.cdioutbox.jms.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxMessage.Body;
import dev.cdioutbox.OutboxMessage.Context;
import dev.cdioutbox.OutboxMessage.Delivery;
import dev.cdioutbox.OutboxMessage.Event;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.DestinationConfig;
import org.junit.jupiter.api.Test;

class MessageMappingTest {
    private static final UUID ID = UUID.fromString("0199f000-0000-7000-8000-000000000001");
    private static final Context CONTEXT = new Context("correlation", "causation", "tenant", Map.of("region", "eu"));

    private final Map<String, Object> set = new TreeMap<>();

    @Test
    void everythingThatIsKnownTravelsWithTheMessage() throws JMSException {
        map(new Event("OrderPlaced", 3, "Order", "order-1"), CONTEXT, true);

        assertThat(set)
                .containsExactlyInAnyOrderEntriesOf(Map.ofEntries(
                        Map.entry("text", "{\"id\":1}"),
                        Map.entry("setJMSDeliveryMode", DeliveryMode.PERSISTENT),
                        Map.entry("setJMSType", "OrderPlaced"),
                        Map.entry("setJMSCorrelationID", "correlation"),
                        Map.entry("messageId", ID.toString()),
                        Map.entry("sequence", 7L),
                        Map.entry("eventType", "OrderPlaced"),
                        Map.entry("schemaVersion", 3),
                        Map.entry("occurredAt", "2026-11-21T10:00:00.123Z"),
                        Map.entry("contentType", "application/json"),
                        Map.entry("aggregateType", "Order"),
                        Map.entry("aggregateId", "order-1"),
                        Map.entry("tenantId", "tenant"),
                        Map.entry("causationId", "causation"),
                        Map.entry("region", "eu"),
                        Map.entry("JMSXGroupID", "order-1")));
    }

    @Test
    void whatIsNotKnownIsNotThere() throws JMSException {
        map(new Event("OrderPlaced", 1, null, null), Context.NONE, true);

        assertThat(set)
                .containsOnlyKeys(
                        "text",
                        "setJMSDeliveryMode",
                        "setJMSType",
                        "messageId",
                        "sequence",
                        "eventType",
                        "schemaVersion",
                        "occurredAt",
                        "contentType");
    }

    @Test
    void keyIsNoGroupIfThatIsConfigured() throws JMSException {
        map(new Event("OrderPlaced", 1, null, "order-1"), Context.NONE, false);

        assertThat(set).doesNotContainKey("JMSXGroupID").containsEntry("aggregateId", "order-1");
    }

    @Test
    void delayedMessageSaysThatItHasLeftItsKeysOrder() throws JMSException {
        Instant later = Instant.parse("2026-12-01T00:00:00Z");
        OutboxMessage.Terms delayed = new OutboxMessage.Terms(later, null, null, null);

        map(new Event("OrderPlaced", 1, null, "order-1"), Context.NONE, true, delayed);

        assertThat(set).containsEntry("deliverNotBefore", "2026-12-01T00:00:00Z");
    }

    private void map(Event event, Context context, boolean groupByKey) throws JMSException {
        map(event, context, groupByKey, OutboxMessage.Terms.NONE);
    }

    private void map(Event event, Context context, boolean groupByKey, OutboxMessage.Terms terms) throws JMSException {
        OutboxMessage message = new OutboxMessage(
                7,
                ID,
                event,
                new Body("application/json", "{\"id\":1}", 8),
                context,
                terms,
                new Delivery("default", OutboxStatus.PENDING, 0, null, null, null),
                Instant.parse("2026-11-21T10:00:00.123Z"),
                Instant.EPOCH);
        MessageMapping.toJms(
                message,
                session(),
                new DestinationConfig("jms/outbox", "jms/factory", Duration.ZERO, groupByKey, false));
    }

    /** Makes messages that note what is set: a property by its name, anything else by its setter's. */
    private Session session() {
        return fake(Session.class, (method, arguments) -> {
            set.put("text", arguments[0]);
            return fake(TextMessage.class, (setter, values) -> {
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
