package dev.cdioutbox.tests.bench;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import java.util.stream.StreamSupport;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** The consumer of a topic, which accounts for each committed record. */
final class TopicReader implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);
    /** Then the rest is lost. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final KafkaConsumer<String, String> consumer;
    private final List<TopicPartition> partitions;

    TopicReader(String bootstrap, String topic) {
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap, "isolation.level", "read_committed");
        consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
        partitions = consumer.partitionsFor(topic).stream()
                .map(info -> new TopicPartition(topic, info.partition()))
                .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    /** Receives what has arrived, or waits for some milliseconds. */
    List<ConsumerRecord<String, String>> poll() {
        return StreamSupport.stream(consumer.poll(POLL).spliterator(), false).toList();
    }

    /** Receives the records of a block, and checks that there are so many, each once and in the order of its key. */
    void check(long messages, ToLongFunction<ConsumerRecord<String, String>> sequence) {
        check(messages, new Deliveries(), sequence, record -> {});
    }

    /** @param deliveries the records that were received already */
    void check(
            long messages,
            Deliveries deliveries,
            ToLongFunction<ConsumerRecord<String, String>> sequence,
            Consumer<ConsumerRecord<String, String>> listener) {
        long last = System.nanoTime();
        while (deliveries.count() < messages || !isAtEnd()) {
            List<ConsumerRecord<String, String>> some = poll();
            if (!some.isEmpty()) {
                some.forEach(listener);
                deliveries.add(some, ConsumerRecord::key, sequence);
                last = System.nanoTime();
            } else if (System.nanoTime() - last > PATIENCE.toNanos()) {
                break;
            }
        }
        deliveries.check(messages);
    }

    private boolean isAtEnd() {
        return consumer.endOffsets(partitions).entrySet().stream()
                .allMatch(end -> consumer.position(end.getKey()) == end.getValue());
    }

    @Override
    public void close() {
        consumer.close();
    }
}
