package dev.cdioutbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import jakarta.json.JsonObject;
import jakarta.json.JsonString;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.internal.capture.event.EventType;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.transport.MessageOptions;
import dev.cdioutbox.jms.internal.send.MappedProperties;
import org.junit.jupiter.api.Test;

/** Guards that the description of events for consumers has the properties that a JMS message has. */
class JmsHeadersTest {
    private static final DestinationConfig QUEUE =
            new DestinationConfig("jms", "jms/outbox", "jms/factory", Duration.ZERO, true, false, null, Map.of());

    /** Those of the trace are set when the message is sent. */
    private static final Set<String> OF_THE_SEND = Set.of("traceparent", "tracestate");

    @OutboxEvent(aggregateType = "Order")
    record OrderPlaced(String id) {}

    @OutboxEvent
    record Plain(String id) {}

    @Test
    void describedPropertiesAreThoseOfAMessage() {
        Set<String> ofMessages = new TreeSet<>(MappedProperties.ofAFullMessage());
        ofMessages.addAll(OF_THE_SEND);
        JsonObject ofJms = MessageHeaders.ofJms(payload(OrderPlaced.class), QUEUE);

        Set<String> described = new TreeSet<>(
                headers(OrderPlaced.class).getJsonObject("properties").keySet());
        described.addAll(ofJms.getJsonObject("properties").keySet());
        // Not properties, but headers.
        described.removeAll(Set.of("JMSType", "JMSCorrelationID"));

        assertThat(described).isEqualTo(ofMessages);
    }

    @Test
    void requiredPropertiesAreThoseOfEachMessage() {
        assertThat(headers(Plain.class).getJsonArray("required").getValuesAs(JsonString::getString))
                .isSubsetOf(MappedProperties.ofAnEmptyMessage())
                .isNotEmpty();
    }

    private static JsonObject headers(Class<?> event) {
        return MessageHeaders.of(payload(event), QUEUE, new MessageOptions(false, "/shop", false), false);
    }

    private static Payload payload(Class<?> event) {
        return new Payload(EventType.of(event), "application/json", Shape.ANY);
    }
}
