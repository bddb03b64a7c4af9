package dev.cdioutbox.kafka.connect;

import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.internal.transport.MessageOptions;
import dev.cdioutbox.internal.transport.TopicLimits;
import dev.cdioutbox.kafka.RecordMapping;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.transforms.Transformation;

/**
 * Makes the messages that {@code outbox-kafka} sends from the rows that Debezium captures. Drops every other change: what
 * the dispatcher sends, and what a snapshot has found.
 */
public final class OutboxTransform implements Transformation<SourceRecord> {
    /** In the column transport of each row that is captured. */
    private static final String TRANSPORT = "cdc";

    private static final String APPLICATION = "application";
    private static final String TOPICS = "topics";
    private static final String SKIP = "skip";
    private static final String CLOUD_EVENTS = "cloudevents";
    private static final String SOURCE = "cloudevents.source";
    private static final String BINARY = "payload_binary";

    private static final ConfigDef CONFIG = new ConfigDef()
            .define(
                    APPLICATION,
                    Type.STRING,
                    ConfigDef.NO_DEFAULT_VALUE,
                    new ConfigDef.NonEmptyString(),
                    Importance.HIGH,
                    "The value of outbox.application, whose messages the publication has.")
            .define(
                    TOPICS,
                    Type.LIST,
                    List.of(),
                    Importance.HIGH,
                    "destination:topic, comma-separated. A destination that is missing here is the name of its topic.")
            .define(
                    SKIP,
                    Type.LIST,
                    List.of(),
                    Importance.LOW,
                    "The ids of messages to leave out, comma-separated, since Kafka refuses their records.")
            .define(CLOUD_EVENTS, Type.BOOLEAN, false, Importance.LOW, "Whether to add CloudEvents' attributes.")
            .define(SOURCE, Type.STRING, "/outbox", Importance.LOW, "The attribute source of CloudEvents.");

    private final Map<String, String> topics = new HashMap<>();
    private Set<String> skipped;
    private String application;
    private MessageOptions options;

    /** For Connect. */
    public OutboxTransform() {}

    @Override
    public ConfigDef config() {
        return CONFIG;
    }

    @Override
    public void configure(Map<String, ?> settings) {
        AbstractConfig config = new AbstractConfig(CONFIG, settings, false);
        application = config.getString(APPLICATION);
        skipped = Set.copyOf(config.getList(SKIP));
        options = new MessageOptions(config.getBoolean(CLOUD_EVENTS), config.getString(SOURCE), false);
        for (String pair : config.getList(TOPICS)) {
            int colon = pair.lastIndexOf(':');
            if (colon < 1) {
                throw new ConfigException(TOPICS, pair, "expected is destination:topic");
            }
            String topic = pair.substring(colon + 1);
            if (!TopicLimits.isName(topic)) {
                throw new ConfigException(TOPICS, pair, "Kafka has no topics of this name");
            }
            topics.put(pair.substring(0, colon), topic);
        }
    }

    @Override
    public SourceRecord apply(SourceRecord change) {
        if (!(change.value() instanceof Struct captured)) {
            return null;
        }
        if (captured.schema().field("after") == null) {
            // A heartbeat. Its offset has to be stored, or Debezium would not start again after a long silence.
            byte[] text = captured.toString().getBytes(StandardCharsets.UTF_8);
            return record(change, change.topic(), null, text, new ConnectHeaders());
        }
        Struct row = captured.getStruct("after");
        boolean isFired = "c".equals(captured.getString("op")) && TRANSPORT.equals(row.getString("transport"));
        if (!isFired || skipped.contains(row.getString("message_id"))) {
            return null;
        }
        return record(change, row.getString("destination"), message(ofApplication(row)));
    }

    /** A publication of another application has none of the messages that consumers wait for, and nobody would notice. */
    private Struct ofApplication(Struct row) {
        String owner = row.getString("application");
        if (!owner.equals(application)) {
            throw new DataException(
                    OutboxCode.CDC_FOREIGN_MESSAGE.text(application, row.getString("message_id"), owner));
        }
        return row;
    }

    private SourceRecord record(SourceRecord change, String destination, OutboxMessage message) {
        ConnectHeaders headers = new ConnectHeaders();
        RecordMapping.headers(message, message.context().external(), options, Map.of())
                .forEach(headers::addBytes);
        return record(
                change,
                topics.getOrDefault(destination, destination),
                RecordMapping.key(message),
                RecordMapping.value(message),
                headers);
    }

    private static SourceRecord record(
            SourceRecord change, String topic, byte[] key, byte[] value, ConnectHeaders headers) {
        return change.newRecord(
                topic,
                null,
                Schema.OPTIONAL_BYTES_SCHEMA,
                key,
                Schema.OPTIONAL_BYTES_SCHEMA,
                value,
                change.timestamp(),
                headers);
    }

    private static OutboxMessage message(Struct row) {
        Map<String, String> headers = StoredHeaders.parse(row.getString("headers"));
        boolean external = headers.remove(StoredHeaders.EXTERNAL) != null;
        return new StoredMessage(
                row.getInt64("seq"),
                UUID.fromString(row.getString("message_id")),
                new StoredMessage.Event(
                        row.getString("event_type"),
                        row.getInt32("schema_version"),
                        row.getString("aggregate_type"),
                        row.getString("message_key"),
                        row.getString("aggregate_id")),
                new StoredMessage.Body(row.getString("content_type"), payload(row)),
                new StoredMessage.Context(
                        row.getString("correlation_id"),
                        row.getString("causation_id"),
                        row.getString("tenant_id"),
                        headers,
                        external),
                StoredMessage.Terms.NONE,
                null,
                OffsetDateTime.parse(row.getString("occurred_at")).toInstant(),
                null);
    }

    /** Nothing in its place: a record without a value would be a tombstone. */
    private static OutboxPayload payload(Struct row) {
        String text = row.getString("payload");
        if (text != null) {
            return OutboxPayload.text(text);
        }
        byte[] binary = row.schema().field(BINARY) == null ? null : row.getBytes(BINARY);
        if (binary == null) {
            throw new DataException(OutboxCode.CDC_NO_PAYLOAD.text(row.getString("message_id")));
        }
        return OutboxPayload.binary(binary);
    }

    @Override
    public void close() {}
}
