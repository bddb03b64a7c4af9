package dev.cdioutbox.tests.crash;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Receives all committed records of a topic. */
final class KafkaArrivals extends Arrivals {
    private final String bootstrap;
    private final List<TopicPartition> partitions;
    private volatile boolean complete;

    KafkaArrivals(String bootstrap, String topic, int partitions, AccountBook book) {
        super(book);
        this.bootstrap = bootstrap;
        this.partitions = IntStream.range(0, partitions)
                .mapToObj(number -> new TopicPartition(topic, number))
                .toList();
    }

    @Override
    void enter() {
        try (KafkaConsumer<String, String> committed = consumer("read_committed");
                KafkaConsumer<String, String> all = consumer("read_uncommitted")) {
            committed.assign(partitions);
            committed.seekToBeginning(partitions);
            while (isOpen()) {
                for (ConsumerRecord<String, String> each : committed.poll(Duration.ofMillis(WAIT_MILLIS))) {
                    received(each.partition() + "@" + each.offset(), each.value());
                }
                complete = isAtEnd(committed, all);
            }
        }
    }

    /** Not the end of the committed records, behind which a transaction may be open. */
    private boolean isAtEnd(KafkaConsumer<String, String> committed, KafkaConsumer<String, String> all) {
        try {
            return all.endOffsets(partitions).entrySet().stream()
                    .allMatch(end -> committed.position(end.getKey()) == end.getValue());
        } catch (org.apache.kafka.common.errors.TimeoutException brokerIsAway) {
            return false;
        }
    }

    private KafkaConsumer<String, String> consumer(String isolation) {
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap, "isolation.level", isolation);
        return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    @Override
    boolean isComplete() {
        return complete;
    }
}
