package dev.cdioutbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import jakarta.json.JsonObject;
import jakarta.json.JsonString;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.capture.event.EventType;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.internal.transport.MessageOptions;
import dev.cdioutbox.kafka.RecordMapping;
import org.junit.jupiter.api.Test;

/** Guards that the description of events for consumers has the headers that a record has. */
class KafkaHeadersTest {
    private static final DestinationConfig TOPIC =
            new DestinationConfig("kafka", "orders", null, Duration.ZERO, true, false, null, Map.of());

    private static final MessageOptions CLOUD_EVENTS = new MessageOptions(true, "/shop", false);
    private static final Map<String, String> TRACE = Map.of("traceparent", "1", "tracestate", "2");

    @OutboxEvent(aggregateType = "Order")
    record OrderPlaced(String id) {}

    @OutboxEvent
    record Plain(String id) {}

    @Test
    void describedHeadersAreThoseOfARecord() {
        StoredMessage.Context context = new StoredMessage.Context("correlation", "causation", "tenant", TRACE);
        Set<String> ofRecords = RecordMapping.headers(
                        message(
                                new StoredMessage.Event("OrderPlaced", 1, "Order", "customer-1", "order-1"),
                                context,
                                new StoredMessage.Terms(Instant.EPOCH, null, null, null)),
                        false,
                        CLOUD_EVENTS,
                        TRACE)
                .keySet();

        assertThat(headers(OrderPlaced.class).getJsonObject("properties").keySet())
                .containsExactlyInAnyOrderElementsOf(ofRecords);
    }

    @Test
    void requiredHeadersAreThoseOfEachRecord() {
        Set<String> ofEachRecord = RecordMapping.headers(
                        message(
                                new StoredMessage.Event("Plain", 1, null, null),
                                StoredMessage.Context.NONE,
                                StoredMessage.Terms.NONE),
                        false,
                        CLOUD_EVENTS,
                        Map.of())
                .keySet();

        assertThat(headers(Plain.class).getJsonArray("required").getValuesAs(JsonString::getString))
                .containsExactlyInAnyOrderElementsOf(ofEachRecord);
    }

    private static JsonObject headers(Class<?> event) {
        return MessageHeaders.of(
                new Payload(EventType.of(event), "application/json", Shape.ANY), TOPIC, CLOUD_EVENTS, false);
    }

    private static StoredMessage message(
            StoredMessage.Event event, StoredMessage.Context context, StoredMessage.Terms terms) {
        return new StoredMessage(
                7,
                UUID.randomUUID(),
                event,
                new StoredMessage.Body("application/json", OutboxPayload.text("{}")),
                context,
                terms,
                new StoredMessage.Delivery("default", OutboxStatus.PENDING, 0, null, null, null, null, null),
                Instant.EPOCH,
                Instant.EPOCH);
    }
}
