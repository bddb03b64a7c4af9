package dev.cdioutbox.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.spi.OutboxPublisher.Marker;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * The compacted topic that keeps the last marker of each memory, in its first partition. The transaction of a batch adds its
 * marker: its number, and the sequences and ids of its messages; numbers to the base 36. Thread-safe.
 */
final class MarkerTopic {
    private static final int RADIX = 36;
    private static final String SEPARATOR = ",";
    private static final String ID = ":";

    /** In records. The last marker of a memory that is in use is one of the last, and a long topic is slow to read. */
    private static final long RECENT = 1000;

    private static final Duration POLL = Duration.ofMillis(50);
    /**
     * Longer than a transaction of another memory may be open, behind which the marker may be: the longest time-out that the
     * configuration allows, and the ten seconds after which a broker looks for such transactions.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    record Committed(long number, Map<Long, UUID> messages) implements Marker {}

    private final KafkaTopic topic;
    private final Duration patience;
    private final TopicPartition partition;

    MarkerTopic(KafkaTopic topic) {
        this(topic, PATIENCE);
    }

    MarkerTopic(KafkaTopic topic, Duration patience) {
        this.topic = topic;
        this.patience = patience;
        partition = new TopicPartition(ClientSettings.markerTopic(topic.config().client()), 0);
    }

    ProducerRecord<byte[], byte[]> toRecord(String memory, long number, Stream<OutboxMessage> messages) {
        Stream<String> batch = messages.map(each -> Long.toString(each.sequence(), RADIX) + ID + each.id());
        String text =
                Stream.concat(Stream.of(Long.toString(number, RADIX)), batch).collect(Collectors.joining(SEPARATOR));
        return new ProducerRecord<>(partition.topic(), 0, memory.getBytes(UTF_8), text.getBytes(UTF_8));
    }

    private static Marker parse(byte[] text) {
        String[] parts = new String(text, UTF_8).split(SEPARATOR);
        Map<Long, UUID> messages = Arrays.stream(parts)
                .skip(1)
                .map(part -> part.split(ID))
                .collect(Collectors.toMap(part -> Long.parseLong(part[0], RADIX), part -> UUID.fromString(part[1])));
        return new Committed(Long.parseLong(parts[0], RADIX), messages);
    }

    /** Fails unless the topic keeps the last marker of each memory for ever. */
    void requireCompacted() throws Exception {
        String policy;
        try {
            policy = topic.setting(partition.topic(), TopicConfig.CLEANUP_POLICY_CONFIG);
        } catch (UnknownTopicOrPartitionException e) {
            policy = "none: the topic does not exist";
        }
        if (!policy.equals(TopicConfig.CLEANUP_POLICY_COMPACT)) {
            throw new PublishException(
                    Blame.DESTINATION, OutboxCode.MARKER_TOPIC_UNUSABLE.text(partition.topic(), policy), null);
        }
    }

    /** The last committed marker of a memory, whose earlier producers are shut out; null if there is none. */
    Marker last(String memory) throws Exception {
        // Not the end that consumers of committed records see, which is that of the first open transaction.
        long end = topic.end(partition);
        try (KafkaConsumer<String, byte[]> consumer = ClientSettings.inApplication(() -> new KafkaConsumer<>(
                ClientSettings.ofConsumer(topic.config().client()),
                new StringDeserializer(),
                new ByteArrayDeserializer()))) {
            consumer.assign(List.of(partition));
            Marker recent = lastSince(consumer, Math.max(0, end - RECENT), end, memory);
            return recent == null && end > RECENT ? lastSince(consumer, 0, end, memory) : recent;
        }
    }

    private Marker lastSince(KafkaConsumer<String, byte[]> consumer, long first, long end, String memory)
            throws PublishException {
        consumer.seek(partition, first);
        byte[] found = null;
        long start = System.nanoTime();
        for (long position = first; position < end; position = consumer.position(partition)) {
            for (ConsumerRecord<String, byte[]> each : consumer.poll(POLL)) {
                found = memory.equals(each.key()) ? each.value() : found;
            }
            if (consumer.position(partition) > position) {
                start = System.nanoTime();
            } else if (System.nanoTime() - start > patience.toNanos()) {
                throw new PublishException(
                        Blame.DESTINATION,
                        OutboxCode.MARKER_HIDDEN.text(
                                partition.partition(), partition.topic(), topic.openTransactions(partition)),
                        null);
            }
        }
        return found == null ? null : parse(found);
    }
}
