package dev.cdioutbox.tests.bench;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** The loop that sends to Kafka as fast as one can: a transaction for each batch, and no database. */
final class RawProducer implements AutoCloseable {
    private final KafkaProducer<String, String> producer;
    private final String topic;
    private final int batchSize;
    private long sequence;

    RawProducer(String bootstrap, String topic, int batchSize) {
        this.topic = topic;
        this.batchSize = batchSize;
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap, "transactional.id", "raw");
        producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
        producer.initTransactions();
    }

    /** @param messages a multiple of the batch size */
    Deliveries send(long messages) {
        String payload = ".".repeat(Engine.PAYLOAD);
        Deliveries deliveries = new Deliveries();
        for (long end = sequence + messages; sequence < end; ) {
            List<Long> batch = new ArrayList<>();
            producer.beginTransaction();
            for (int i = 0; i < batchSize; i++) {
                batch.add(++sequence);
                ProducerRecord<String, String> event = new ProducerRecord<>(topic, key(sequence), payload);
                event.headers()
                        .add("messageId", bytes(new UUID(0, sequence)))
                        .add("eventType", bytes("OrderPlaced"))
                        .add("sequence", bytes(sequence));
                producer.send(event);
            }
            // Throws if one of the sends has failed.
            producer.commitTransaction();
            deliveries.add(batch, RawProducer::key, Long::longValue);
        }
        deliveries.check(messages);
        return deliveries;
    }

    private static String key(long sequence) {
        return Engine.key((int) (sequence % Engine.TEMPLATE_ROWS));
    }

    private static byte[] bytes(Object value) {
        return value.toString().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        producer.close();
    }
}
