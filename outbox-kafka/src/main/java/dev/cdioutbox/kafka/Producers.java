package dev.cdioutbox.kafka;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The producers of the application. A producer has one transaction at a time, so each batch borrows one; a new one costs
 * several round trips. Thread-safe.
 */
final class Producers {
    private static final Logger LOG = Logger.getLogger(Producers.class.getName());

    /** An idle producer has nothing to wait for, and one with a failed transaction must not hold up the next batch. */
    private static final Duration AT_ONCE = Duration.ZERO;

    private final Map<String, Deque<Producer<byte[], byte[]>>> idle = new HashMap<>();
    private boolean isClosed;

    /** @throws RuntimeException if Kafka does not answer, or refuses the settings */
    Producer<byte[], byte[]> borrow(String destination, Map<String, String> settings) {
        synchronized (this) {
            if (isClosed) {
                throw new IllegalStateException("the application has stopped");
            }
            Producer<byte[], byte[]> producer =
                    idle.getOrDefault(destination, new ArrayDeque<>()).pollFirst();
            if (producer != null) {
                return producer;
            }
        }
        return create(destination, settings);
    }

    private static Producer<byte[], byte[]> create(String destination, Map<String, String> settings) {
        return ClientSettings.inApplication(() -> {
            Producer<byte[], byte[]> producer = new KafkaProducer<>(
                    ClientSettings.ofProducer(settings, destination),
                    new ByteArraySerializer(),
                    new ByteArraySerializer());
            try {
                producer.initTransactions();
                return producer;
            } catch (RuntimeException e) {
                discard(producer);
                throw e;
            }
        });
    }

    /** @param producer without an open transaction */
    void giveBack(String destination, Producer<byte[], byte[]> producer) {
        synchronized (this) {
            if (!isClosed) {
                idle.computeIfAbsent(destination, name -> new ArrayDeque<>()).addFirst(producer);
                return;
            }
        }
        discard(producer);
    }

    /** Closes a producer. If its transaction is open, the broker aborts it after the transaction's time-out. */
    static void discard(Producer<byte[], byte[]> producer) {
        ClientSettings.inApplication(() -> {
            try {
                producer.close(AT_ONCE);
            } catch (RuntimeException e) {
                // Its batch may be committed, and the other producers have to be closed, too.
                LOG.log(Level.FINE, "a producer could not be closed", e);
            }
            return null;
        });
    }

    /** Closes the idle producers; the others are closed when they are given back. */
    synchronized void close() {
        isClosed = true;
        idle.values().forEach(each -> each.forEach(Producers::discard));
        idle.clear();
    }
}
