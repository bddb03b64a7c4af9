package dev.cdioutbox.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;
import java.util.TreeMap;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.internal.transport.Envelope;
import dev.cdioutbox.internal.transport.MessageOptions;
import dev.cdioutbox.internal.transport.TransportDestination;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;

/** Maps a stored message to a record: the key of the event, the payload, and a header for each property of the envelope. */
public final class RecordMapping {
    private static final String CLOUD_EVENTS = "ce_";

    private static final OutboxPayload TOMBSTONE = OutboxPayload.text("null");

    /** What a batch of records with one record has beside the record (61 bytes), and a record beside its parts (at most 21). */
    private static final int OVERHEAD = 61 + 21;

    /** The lengths of a header's name and value. */
    private static final int HEADER_OVERHEAD = 2 * 5;

    private RecordMapping() {}

    /** @param trace the trace headers of the send */
    public static ProducerRecord<byte[], byte[]> toRecord(
            OutboxMessage message, TransportDestination config, MessageOptions options, Map<String, String> trace) {
        // Not the time of the event: a topic that keeps records for a week would drop one that waited for longer.
        ProducerRecord<byte[], byte[]> event = new ProducerRecord<>(config.address(), key(message), value(message));
        headers(message, config.external(), options, trace)
                .forEach((name, value) -> event.headers().add(name, value));
        return event;
    }

    public static byte[] key(OutboxMessage message) {
        String key = message.event().key();
        return key == null ? null : bytes(key);
    }

    /** Null for a tombstone: a compacted topic forgets the key of a record without a value. */
    public static byte[] value(OutboxMessage message) {
        OutboxPayload payload = message.body().payload();
        return payload.equals(TOMBSTONE) ? null : payload.toBytes();
    }

    public static Map<String, byte[]> headers(
            OutboxMessage message, boolean external, MessageOptions options, Map<String, String> trace) {
        Map<String, String> properties = Envelope.of(message, external, options, CLOUD_EVENTS);
        properties.put("schemaVersion", String.valueOf(message.event().version()));
        if (!external) {
            properties.put("sequence", String.valueOf(Envelope.sequence(message)));
            properties.put("correlationId", Envelope.correlationId(message));
            properties.putAll(trace);
        }
        // The binding of CloudEvents for Kafka has this one header without a prefix.
        String contentType = properties.remove(CLOUD_EVENTS + "datacontenttype");
        if (contentType != null) {
            properties.put("content-type", contentType);
        }
        Map<String, byte[]> headers = new TreeMap<>();
        properties.forEach((name, value) -> headers.put(name, bytes(value)));
        return headers;
    }

    /** The most bytes that the record takes without compression. */
    static long size(ProducerRecord<byte[], byte[]> event) {
        long size = OVERHEAD + length(event.key()) + length(event.value());
        for (Header header : event.headers()) {
            size += HEADER_OVERHEAD + bytes(header.key()).length + length(header.value());
        }
        return size;
    }

    private static int length(byte[] bytes) {
        return bytes == null ? 0 : bytes.length;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
