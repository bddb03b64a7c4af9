package dev.cdioutbox.tests.crash;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A consumer that enters all committed records of a topic into the account book. */
final class KafkaReceiver implements Arrivals {
    private static final Duration POLL = Duration.ofMillis(200);

    private final String bootstrap;
    private final List<TopicPartition> partitions;
    private final AccountBook book;
    private final Thread thread = new Thread(this::run, "receiver");
    private volatile boolean closed;
    private volatile boolean complete;

    KafkaReceiver(String bootstrap, String topic, int partitions, AccountBook book) {
        this.bootstrap = bootstrap;
        this.book = book;
        this.partitions = IntStream.range(0, partitions)
                .mapToObj(number -> new TopicPartition(topic, number))
                .toList();
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try (KafkaConsumer<String, String> committed = consumer("read_committed");
                KafkaConsumer<String, String> all = consumer("read_uncommitted")) {
            committed.assign(partitions);
            committed.seekToBeginning(partitions);
            while (!closed) {
                for (ConsumerRecord<String, String> each : committed.poll(POLL)) {
                    String place = each.partition() + "@" + each.offset();
                    book.received(place, each.value(), System.nanoTime());
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
    public boolean isComplete() {
        return complete;
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
