package dev.cdioutbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import dev.cdioutbox.internal.store.cdc.CapturedTopics;
import dev.cdioutbox.internal.transport.MessageOptions;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.Test;

/** What a consumer of a topic sees of a message. */
class RecordMappingTest {
    private static final Context CONTEXT =
            new Context("correlation", "causation", "tenant", Map.of("region", "eu", "traceparent", "of the event"));

    private static final Map<String, String> TRACE = Map.of("traceparent", "of the send");

    static OutboxMessage message(Event event, Context context, String text) {
        return message(event, context, OutboxPayload.text(text));
    }

    private static OutboxMessage message(Event event, Context context, OutboxPayload payload) {
        return new StoredMessage(
                7,
                UUID.randomUUID(),
                event,
                new StoredMessage.Body("application/json", payload),
                context,
                StoredMessage.Terms.NONE,
                new StoredMessage.Delivery("default", OutboxStatus.PENDING, 0, null, null, null, null, null),
                Instant.parse("2026-11-21T10:00:00.123Z"),
                Instant.EPOCH);
    }

    @Test
    void everythingThatIsKnownTravelsWithTheRecord() {
        OutboxMessage message = message(new Event("OrderPlaced", 3, "Order", "order-\u00e4"), CONTEXT, "{}");

        ProducerRecord<byte[], byte[]> event = map(message, false, false);

        assertThat(event.topic()).isEqualTo("orders");
        assertThat(text(event.key())).isEqualTo("order-\u00e4");
        assertThat(text(event.value())).isEqualTo("{}");
        assertThat(headers(event))
                .containsExactlyInAnyOrderEntriesOf(Map.ofEntries(
                        Map.entry("messageId", message.id().toString()),
                        Map.entry("sequence", "7"),
                        Map.entry("eventType", "OrderPlaced"),
                        Map.entry("schemaVersion", "3"),
                        Map.entry("occurredAt", "2026-11-21T10:00:00.123Z"),
                        Map.entry("contentType", "application/json"),
                        Map.entry("aggregateType", "Order"),
                        Map.entry("aggregateId", "order-\u00e4"),
                        Map.entry("correlationId", "correlation"),
                        Map.entry("tenantId", "tenant"),
                        Map.entry("causationId", "causation"),
                        Map.entry("region", "eu"),
                        Map.entry("traceparent", "of the send")));
    }

    @Test
    void externalDestinationGetsNothingInternal() {
        OutboxMessage message = message(new Event("OrderPlaced", 1, null, "1"), CONTEXT, "{}");

        assertThat(headers(map(message, true, false)))
                .containsOnlyKeys(
                        "messageId", "eventType", "schemaVersion", "occurredAt", "contentType", "aggregateId");
    }

    @Test
    void bytesAreTheValueAndNoTombstone() {
        byte[] bytes = "null".getBytes(StandardCharsets.UTF_8);
        OutboxMessage message =
                message(new Event("OrderPlaced", 1, null, "1"), Context.NONE, OutboxPayload.binary(bytes));

        assertThat(map(message, false, false).value()).isEqualTo(bytes);
    }

    @Test
    void payloadThatIsNullIsATombstone() {
        ProducerRecord<byte[], byte[]> event =
                map(message(new Event("OrderDeleted", 1, null, "1"), Context.NONE, "null"), false, false);

        assertThat(event.value()).isNull();
        assertThat(text(event.key())).isEqualTo("1");
    }

    @Test
    void cloudEventHasTheNamesOfItsBindingForKafka() {
        OutboxMessage message = message(new Event("OrderPlaced", 1, null, "1", "order-1"), Context.NONE, "{}");

        assertThat(headers(map(message, false, true)))
                .contains(
                        Map.entry("ce_specversion", "1.0"),
                        Map.entry("ce_id", message.id().toString()),
                        Map.entry("ce_source", "/shop"),
                        Map.entry("ce_type", "OrderPlaced"),
                        Map.entry("ce_subject", "order-1"),
                        Map.entry("aggregateId", "order-1"),
                        Map.entry("messageKey", "1"),
                        Map.entry("ce_time", "2026-11-21T10:00:00.123Z"),
                        Map.entry("content-type", "application/json"))
                .doesNotContainKey("ce_datacontenttype");
    }

    /** fire() refuses by this size, when neither the sequence nor the settings of the transformation are known. */
    @Test
    void sizeThatIsKnownBeforeTheInsertIsAnUpperBound() {
        Map<String, String> headers =
                new TreeMap<>(Map.of("traceparent", "t".repeat(55), "tracestate", "t".repeat(512)));
        IntStream.range(0, 200).forEach(i -> headers.put("header" + i, ""));
        StoredMessage.Context context =
                new StoredMessage.Context("\u20ac".repeat(255), "c".repeat(255), "t".repeat(255), headers);
        OutboxMessage message = message(
                new Event("T".repeat(255), 1, "A".repeat(255), "\u20ac".repeat(255), "\u20a3".repeat(255)),
                context,
                "{}");

        assertThat(CapturedTopics.size(NewMessage.copyOf(message, message.id(), "orders", headers)))
                .isGreaterThanOrEqualTo(RecordMapping.size(map(message, false, true)));
    }

    private static ProducerRecord<byte[], byte[]> map(OutboxMessage message, boolean external, boolean cloudEvents) {
        DestinationConfig config =
                new DestinationConfig("kafka", "orders", null, Duration.ZERO, true, external, null, Map.of());
        return RecordMapping.toRecord(message, config, new MessageOptions(cloudEvents, "/shop", false), TRACE);
    }

    private static Map<String, String> headers(ProducerRecord<byte[], byte[]> event) {
        Map<String, String> headers = new TreeMap<>();
        for (Header header : event.headers()) {
            assertThat(headers.put(header.key(), text(header.value())))
                    .as(header.key())
                    .isNull();
        }
        return headers;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
