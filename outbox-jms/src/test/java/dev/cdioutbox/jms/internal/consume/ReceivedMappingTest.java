package dev.cdioutbox.jms.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.annotation.Annotation;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

import jakarta.jms.Message;
import jakarta.jms.MessageFormatException;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.consume.ConsumedMessage;
import dev.cdioutbox.internal.consume.Received;
import dev.cdioutbox.internal.consume.Received.Place;
import dev.cdioutbox.internal.store.inbox.Position;
import dev.cdioutbox.internal.store.inbox.Position.Order;
import dev.cdioutbox.jms.IdempotentConsumer;
import org.junit.jupiter.api.Test;

/** A message is identified by its id, and by its key and sequence for a consumer with order. */
class ReceivedMappingTest {
    private static final Map<String, Object> WHOLE =
            Map.of("messageId", "m1", "aggregateId", "order-1", "sequence", 7L);

    @Test
    void messageIsIdentifiedByItsIdAndItsSequence() {
        assertThat(received(true, WHOLE)).isEqualTo(placed("m1", "order-1", 7));
        assertThat(received(true, with("sequence", "8"))).isEqualTo(placed("m1", "order-1", 8));
        assertThat(received(false, WHOLE)).isEqualTo(placed("m1", null, 0));
        assertThat(received(false, with("messageId", 17))).isEqualTo(placed("17", null, 0));
    }

    @Test
    void messageThatLacksKeyOrSequenceOrWasDelayedHasNoPlaceInAnyOrder() {
        assertThat(received(true, with("aggregateId", null))).isEqualTo(placed("m1", null, 0));
        assertThat(received(true, with("aggregateId", ""))).isEqualTo(placed("m1", null, 0));
        assertThat(received(true, with("sequence", null))).isEqualTo(placed("m1", null, 0));
        assertThat(received(true, with("deliverNotBefore", "2026-01-01T00:00:00Z")))
                .isEqualTo(placed("m1", null, 0));
    }

    @Test
    void messageIsOrderedByItsKeyAndNotByItsAggregate() {
        Map<String, Object> damaged = with("messageKey", "a \ufffd\ufffd");

        assertThat(received(true, with("messageKey", "customer-1"))).isEqualTo(placed("m1", "customer-1", 7));
        assertThat(received(true, with("messageKey", ""))).as("no key").isEqualTo(placed("m1", null, 0));
        assertThat(received(true, damaged)).isEqualTo(placed("m1", null, 0));
    }

    @Test
    void whoDoesNotAskForOrderTakesAnySequenceAndAnyKey() {
        assertThat(received(false, with("sequence", "A-17"))).isEqualTo(placed("m1", null, 0));
        assertThat(received(false, with("sequence", true))).isEqualTo(placed("m1", null, 0));
        assertThat(received(false, with("aggregateId", "x".repeat(256)))).isEqualTo(placed("m1", null, 0));
    }

    @Test
    void foreignMessageWhosePropertiesMeanSomethingElseHasNoPlaceInAnyOrder() {
        assertThat(received(true, with("sequence", "A-17"))).isEqualTo(placed("m1", null, 0));
        assertThat(received(true, with("sequence", true))).isEqualTo(placed("m1", null, 0));
        assertThat(received(true, with("aggregateId", "x".repeat(256)))).isEqualTo(placed("m1", null, 0));
        assertThat(received(true, with("aggregateId", "a\0"))).isEqualTo(placed("m1", null, 0));
    }

    /** ActiveMQ's client reads a character beyond the basic plane as U+FFFD twice. */
    @Test
    void damagedKeyIsReadFromItsCopyAndNeverTakenForAnotherOne() {
        Map<String, Object> damaged = with("aggregateId", "a \ufffd\ufffd");
        assertThat(received(true, damaged)).isEqualTo(placed("m1", null, 0));
        damaged.put("encodedProperties", "mood=%F0%9F%98%9F&aggregateId=a+%F0%9F%98%80");
        assertThat(received(true, damaged)).isEqualTo(placed("m1", "a \ud83d\ude00", 7));
        damaged.put("encodedProperties", "of another sender: 100%&aggregateId=%");
        assertThat(received(true, damaged)).isEqualTo(placed("m1", null, 0));
    }

    @Test
    void messageWithADamagedIdIsIdentifiedByItsJmsId() {
        assertThat(received(false, with("messageId", "m \ufffd\ufffd"))).isEqualTo(placed("ID:1", null, 0));
    }

    @Test
    void placeHasTheTimeOfTheInsertIfTheMessageTellsIt() {
        assertThat(storedAt("2026-01-01T10:00:00.5Z")).isEqualTo(Instant.parse("2026-01-01T10:00:00.5Z"));
        for (String none : new String[] {"", "yesterday", "+99999-01-01T00:00:00Z", "-0001-01-01T00:00:00Z"}) {
            assertThat(storedAt(none)).as(none).isNull();
        }
    }

    /** Its event is the later one by the clock of its node, which is ahead, or which fired before a long transaction. */
    @Test
    void lateMessageWhoseEventIsYoungerThanTheLastOneWasOvertaken() {
        Position last = placed(6, "2026-01-01T12:00:00Z", "2026-01-01T12:10:00Z");
        Position late = placed(5, "2026-01-01T12:09:00Z", "2026-01-01T12:09:01Z");

        assertThat(late.after(last)).isEqualTo(Order.OVERTAKEN);
    }

    private static Position placed(long sequence, String occurredAt, String storedAt) {
        Map<String, Object> properties = with("sequence", sequence);
        properties.put("occurredAt", occurredAt);
        properties.put("storedAt", storedAt);
        Place place = received(true, properties).place();
        return new Position(place.sequence(), place.storedAt());
    }

    private static Instant storedAt(String text) {
        return received(true, with("storedAt", text)).place().storedAt();
    }

    @Test
    void idThatNoDatabaseCanStoreIsRefused() {
        assertRefused(() -> received(false, with("messageId", "a\0")), "its messageId contains the character U+0000");
        assertRefused(() -> received(false, with("messageId", "a\ud83d")), "its messageId contains half a surrogate");
        assertRefused(() -> ReceivedMapping.received(consumer(false), "a\0"), "the parameter contains the character");
    }

    @Test
    void messageWithoutAnIdIsIdentifiedByItsJmsId() {
        for (String none : new String[] {null, ""}) {
            Message message = message(with("messageId", none));
            assertThat(ReceivedMapping.received(consumer(true), message)).isEqualTo(placed("ID:1", "order-1", 7));
        }
        assertThat(ReceivedMapping.received(consumer(false), message(WHOLE))
                        .message()
                        .id())
                .isEqualTo("m1");
        assertRefused(() -> received(false, with("messageId", "x".repeat(256))), "its messageId has 256 characters");
    }

    @Test
    void parameterIsIdentifiedByItsText() {
        assertThat(ReceivedMapping.received(consumer(true), 17)).isEqualTo(placed("17", null, 0));
        assertThat(ReceivedMapping.received(consumer(true), "x".repeat(255))
                        .message()
                        .id())
                .hasSize(255);
        for (String none : new String[] {null, ""}) {
            assertRefused(() -> ReceivedMapping.received(consumer(true), none), "the parameter is missing");
        }
        assertRefused(() -> ReceivedMapping.received(consumer(true), "x".repeat(256)), "256 characters");
    }

    private static void assertRefused(org.assertj.core.api.ThrowableAssert.ThrowingCallable received, String why) {
        assertThatThrownBy(received)
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0507: consumer 'shipping'")
                .hasMessageContaining(why);
    }

    private static Map<String, Object> with(String property, Object value) {
        Map<String, Object> properties = new HashMap<>(WHOLE);
        properties.put(property, value);
        properties.values().removeIf(v -> v == null);
        return properties;
    }

    private static Received placed(String id, String key, long sequence) {
        Place place = key == null ? null : new Place(key, sequence, null);
        return new Received(new ConsumedMessage(id, null, null), place, false);
    }

    private static Received received(boolean ordered, Map<String, Object> properties) {
        return ReceivedMapping.received(consumer(ordered), message(properties));
    }

    /** A JMS message whose properties are converted as JMS converts them. */
    private static Message message(Map<String, Object> properties) {
        return (Message) Proxy.newProxyInstance(
                Message.class.getClassLoader(), new Class<?>[] {Message.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getJMSMessageID")) {
                        return "ID:1";
                    }
                    if (method.getName().equals("getJMSCorrelationID")) {
                        return null;
                    }
                    if (method.getName().equals("getJMSRedelivered")) {
                        return false;
                    }
                    Object value = properties.get((String) arguments[0]);
                    return switch (method.getName()) {
                        case "propertyExists" -> value != null;
                        case "getStringProperty" -> value == null ? null : value.toString();
                        case "getLongProperty" -> asLong(value);
                        default -> throw new UnsupportedOperationException(method.getName());
                    };
                });
    }

    private static long asLong(Object value) throws MessageFormatException {
        if (value instanceof Boolean) {
            throw new MessageFormatException("not a long");
        }
        return Long.parseLong(value == null ? null : value.toString());
    }

    private static IdempotentConsumer consumer(boolean ordered) {
        return new IdempotentConsumer() {
            @Override
            public String value() {
                return "shipping";
            }

            @Override
            public boolean ordered() {
                return ordered;
            }

            @Override
            public String outbox() {
                return "";
            }

            @Override
            public Class<? extends Annotation> annotationType() {
                return IdempotentConsumer.class;
            }
        };
    }
}
