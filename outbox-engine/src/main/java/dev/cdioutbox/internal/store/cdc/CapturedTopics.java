package dev.cdioutbox.internal.store.cdc;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.internal.transport.TopicLimits;

/**
 * The topics of change data capture. A record that Kafka refuses stops the connector, and with it all destinations; nobody can
 * skip it as the dispatcher does. So it is refused before it is in the log. Thread-safe.
 */
public final class CapturedTopics {
    /** The names of the headers, ids, times, and what a batch and a record have beside their parts. */
    private static final long OVERHEAD = 4096;

    /** A text may be the key, a header, and a header of CloudEvents. */
    private static final int COPIES = 3;

    private static final int HEADER_OVERHEAD = 2 * 5;

    private final Map<String, TopicLimits> limits;

    /** @param limits by destination, as far as the configuration tells them */
    public CapturedTopics(Map<String, TopicLimits> limits) {
        this.limits = new ConcurrentHashMap<>(limits);
    }

    /** What Kafka has told of a topic, to be heeded from now on. */
    public void know(String destination, TopicLimits found) {
        limits.put(destination, found);
    }

    /**
     * Refuses what would stop the connector. Other destinations' messages pass.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0351 or OBX-0352
     */
    public void require(List<NewMessage> messages) {
        if (!limits.isEmpty()) {
            messages.forEach(this::require);
        }
    }

    private void require(NewMessage message) {
        TopicLimits topic = limits.get(message.destination());
        if (topic == null) {
            return;
        }
        String type = message.event().type();
        if (topic.compacted() && message.event().key() == null) {
            throw OutboxCode.CDC_KEY_MISSING.exception(type, message.destination());
        }
        long size = size(message);
        if (size > topic.largest()) {
            throw OutboxCode.CDC_TOO_LARGE.exception(type, message.destination(), size, topic.largest());
        }
    }

    /** The most bytes that the record takes, with any settings of the transformation. */
    public static long size(NewMessage message) {
        OutboxMessage.Event event = message.event();
        OutboxMessage.Context context = message.context();
        long texts = Stream.of(
                        event.type(),
                        event.aggregateType(),
                        event.key(),
                        StoredMessage.ownAggregateId(event),
                        message.body().contentType(),
                        context.correlationId(),
                        context.causationId(),
                        context.tenantId())
                .mapToLong(CapturedTopics::bytes)
                .sum();
        long headers = context.headers().entrySet().stream()
                .mapToLong(header -> HEADER_OVERHEAD + bytes(header.getKey()) + bytes(header.getValue()))
                .sum();
        return OVERHEAD + message.body().bytes() + COPIES * texts + headers;
    }

    private static long bytes(String text) {
        return text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
    }
}
