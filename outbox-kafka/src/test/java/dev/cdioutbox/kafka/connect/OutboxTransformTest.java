package dev.cdioutbox.kafka.connect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.StreamSupport;

import jakarta.json.Json;
import jakarta.json.JsonObjectBuilder;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import dev.cdioutbox.internal.transport.MessageOptions;
import dev.cdioutbox.kafka.RecordMapping;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Message for message, the transformation makes what the publisher sends. */
class OutboxTransformTest {
    private static final String ODD = "\"quoted\", \\ {\u00e4\uD83D\uDE00}: \u0001\t\r\n\b\f/";
    private static final Map<String, String> SHOP = Map.of("application", "shop");
    private static final Context NONE = new Context(null, null, null, Map.of());

    private static final List<OutboxMessage> MESSAGES = List.of(
            message(new Event("OrderPlaced", 3, "Order", "order-\u00e4"), "{\"id\": 1}", context(false)),
            message(new Event("OrderPlaced", 1, null, null), "{}", NONE),
            message(new Event("OrderPlaced", 1, "Order", "customer-1", "order-1"), "{}", NONE),
            message(new Event("OrderPlaced", 1, "Order", null, "order-1"), "{}", NONE),
            message(new Event("OrderDeleted", 1, "Order", "1"), "null", NONE),
            message(new Event("OrderPlaced", 1, "Order", ""), "", context(false)),
            message(new Event("OrderPlaced", 1, "Order", "1"), ODD, context(true)),
            message(new Event("OrderPlaced", 1, "Order", "1"), OutboxPayload.binary(new byte[] {0, -1}), NONE),
            message(new Event("OrderPlaced", 1, "Order", "1"), OutboxPayload.binary("null".getBytes(UTF_8)), NONE));

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void messageIsThatOfThePublisher(boolean cloudEvents) {
        OutboxTransform transform = transform(Map.of(
                "application",
                "shop",
                "cloudevents",
                String.valueOf(cloudEvents),
                "cloudevents.source",
                "/shop",
                "topics",
                "orders:shop"));
        for (OutboxMessage message : MESSAGES) {
            DestinationConfig config = new DestinationConfig(
                    "kafka",
                    "shop",
                    null,
                    Duration.ZERO,
                    true,
                    message.context().external(),
                    null,
                    Map.of());
            ProducerRecord<byte[], byte[]> sent =
                    RecordMapping.toRecord(message, config, new MessageOptions(cloudEvents, "/shop", false), Map.of());

            SourceRecord made = transform.apply(Rows.change("c", columns(message, "cdc")));

            assertThat(made.topic()).isEqualTo(sent.topic());
            assertThat((byte[]) made.key()).isEqualTo(sent.key());
            assertThat((byte[]) made.value()).isEqualTo(sent.value());
            assertThat(made.kafkaPartition()).isNull();
            assertThat(made.timestamp()).isEqualTo(sent.timestamp());
            Map<String, String> headers = new TreeMap<>();
            made.headers().forEach(header -> headers.put(header.key(), new String((byte[]) header.value())));
            Map<String, String> expected = new TreeMap<>();
            sent.headers().forEach(header -> expected.put(header.key(), new String(header.value())));
            assertThat(headers).isEqualTo(expected);
            assertThat(StreamSupport.stream(made.headers().spliterator(), false))
                    .hasSize(expected.size());
        }
    }

    /** The dispatcher has sent it, or it was captured before. */
    @Test
    void otherRowsAreDropped() {
        OutboxTransform transform = transform(SHOP);
        OutboxMessage message = MESSAGES.get(0);

        assertThat(transform.apply(Rows.change("c", columns(message, null)))).isNull();
        assertThat(transform.apply(Rows.change("r", columns(message, "cdc")))).isNull();
        assertThat(transform.apply(new SourceRecord(Map.of(), Map.of(), "t", null, null)))
                .isNull();
        assertThat(transform.apply(Rows.change("c", columns(message, "cdc"))).topic())
                .as("without a topic, the name of the destination")
                .isEqualTo("orders");
    }

    /** Otherwise its offset would not be stored. */
    @Test
    void heartbeatPasses() {
        Schema schema =
                SchemaBuilder.struct().field("ts_ms", Schema.INT64_SCHEMA).build();
        SourceRecord heartbeat =
                new SourceRecord(Map.of(), Map.of(), "heartbeat", schema, new Struct(schema).put("ts_ms", 7L));

        SourceRecord passed = transform(SHOP).apply(heartbeat);

        assertThat(passed.topic()).isEqualTo("heartbeat");
        assertThat(new String((byte[]) passed.value())).contains("7");
    }

    /** Of two applications on the same tables, each would get the messages of the other one, or none. */
    @Test
    void messageOfAnotherApplicationStopsTheConnector() {
        Map<String, Object> foreign = columns(MESSAGES.get(0), "cdc");
        foreign.put("application", "billing");

        assertThatThrownBy(() -> transform(SHOP).apply(Rows.change("c", foreign)))
                .hasMessageStartingWith("OBX-0350")
                .hasMessageContaining("of the application 'billing'");
        assertThatThrownBy(() -> transform(Map.of())).isInstanceOf(ConfigException.class);
    }

    /** A record without a value would delete its key from a compacted topic. */
    @Test
    void messageWithoutAPayloadStopsTheConnector() {
        Map<String, Object> columns = columns(MESSAGES.get(0), "cdc");
        columns.put("payload", null);

        for (SourceRecord change : List.of(Rows.change("c", columns), Rows.withoutBinary(columns))) {
            assertThatThrownBy(() -> transform(SHOP).apply(change))
                    .hasMessageStartingWith("OBX-0357")
                    .hasMessageContaining(MESSAGES.get(0).id().toString());
        }
    }

    /** The way out if Kafka refuses a record. */
    @Test
    void messageIsSkippedByItsId() {
        OutboxTransform transform = transform(Map.of(
                "application", "shop", "skip", "another, " + MESSAGES.get(0).id()));

        assertThat(transform.apply(Rows.change("c", columns(MESSAGES.get(0), "cdc"))))
                .isNull();
        assertThat(transform.apply(Rows.change("c", columns(MESSAGES.get(1), "cdc"))))
                .isNotNull();
    }

    @Test
    void topicsAreDestinationsAndTopics() {
        assertThatThrownBy(() -> transform(Map.of("application", "shop", "topics", "orders:shop orders")))
                .hasMessageContaining("no topics of this name");
        assertThatThrownBy(() -> transform(Map.of("application", "shop", "topics", "orders")))
                .isInstanceOf(ConfigException.class);
    }

    private static OutboxTransform transform(Map<String, String> settings) {
        OutboxTransform transform = new OutboxTransform();
        transform.configure(settings);
        return transform;
    }

    private static Context context(boolean external) {
        Map<String, String> headers = Map.of("region", ODD, "traceparent", "00-1-2-01", "empty", "");
        return external
                ? new Context(null, null, null, headers, true)
                : new Context("correlation", "causation", "tenant", headers);
    }

    private static OutboxMessage message(Event event, String text, Context context) {
        return message(event, OutboxPayload.text(text), context);
    }

    private static OutboxMessage message(Event event, OutboxPayload payload, Context context) {
        return new StoredMessage(
                7,
                UUID.randomUUID(),
                event,
                new StoredMessage.Body("application/json", payload),
                context,
                StoredMessage.Terms.NONE,
                new StoredMessage.Delivery("orders", OutboxStatus.PUBLISHED, 0, null, null, null, null, null),
                Instant.parse("2026-11-21T10:00:00.123456Z"),
                Instant.EPOCH);
    }

    private static Map<String, Object> columns(OutboxMessage message, String transport) {
        Map<String, Object> columns = new HashMap<>();
        columns.put("seq", message.sequence());
        columns.put("message_id", message.id().toString());
        columns.put("event_type", message.event().type());
        columns.put("schema_version", message.event().version());
        columns.put("aggregate_type", message.event().aggregateType());
        columns.put("aggregate_id", StoredMessage.ownAggregateId(message.event()));
        columns.put("message_key", message.event().key());
        columns.put("destination", message.delivery().destination());
        columns.put("content_type", message.body().contentType());
        OutboxPayload payload = message.body().payload();
        columns.put("payload", payload.isBinary() ? null : payload.text());
        columns.put("payload_binary", payload.isBinary() ? ByteBuffer.wrap(payload.toBytes()) : null);
        columns.put("headers", json(message.context()));
        columns.put("correlation_id", message.context().correlationId());
        columns.put("causation_id", message.context().causationId());
        columns.put("tenant_id", message.context().tenantId());
        columns.put("occurred_at", message.occurredAt().toString());
        columns.put("transport", transport);
        return columns;
    }

    /** As the outbox stores them. */
    private static String json(OutboxMessage.Context context) {
        JsonObjectBuilder json = Json.createObjectBuilder();
        new ArrayList<>(context.headers().keySet())
                .forEach(name -> json.add(name, context.headers().get(name)));
        if (context.external()) {
            json.add("outbox.external", "true");
        }
        return context.headers().isEmpty() ? null : json.build().toString();
    }
}
