package dev.cdioutbox.kafka;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.WeakHashMap;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The producers of the application. A producer has one transaction at a time, so each batch borrows one; a new one costs
 * several round trips. Those of a memory are apart. Thread-safe.
 */
final class Producers {
    private static final Logger LOG = Logger.getLogger(Producers.class.getName());

    /** An idle producer has nothing to wait for, and one with a failed transaction must not hold up the next batch. */
    private static final Duration AT_ONCE = Duration.ZERO;

    private final Map<String, Deque<Producer<byte[], byte[]>>> idle = new HashMap<>();
    /** The memory that each destination has last been taken over with. */
    private final Map<String, String> memories = new HashMap<>();
    /** When the brokers have last answered each producer. */
    private final Map<Producer<byte[], byte[]>, Long> answered = new WeakHashMap<>();

    private final LongSupplier nanos;
    private boolean isClosed;

    /** @param nanos a monotonic clock in nanoseconds */
    Producers(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** @throws RuntimeException if Kafka does not answer, or refuses the settings */
    Producer<byte[], byte[]> borrow(String destination, Map<String, String> settings) {
        Producer<byte[], byte[]> producer = takeIdle(destination);
        String id = destination + "-" + UUID.randomUUID();
        return producer != null ? producer : create(ClientSettings.ofProducer(settings, id));
    }

    /**
     * Creates the only producer of a memory. Waits until the transactions of all others, of whatever process, have ended; they
     * can commit no other one. A first take-over that fails is tried again with a new memory, so the destination's last memory
     * gives up its producer, too.
     */
    void takeOver(String destination, String memory, Map<String, String> settings) {
        discardIdle(memory);
        String last = remember(destination, memory);
        if (last != null) {
            discardIdle(last);
        }
        // Of the memory alone: the id must be the same wherever the destination is sent from, whatever it is called
        // there.
        giveBack(memory, create(ClientSettings.ofProducer(settings, memory)));
    }

    private synchronized String remember(String destination, String memory) {
        return memories.put(destination, memory);
    }

    private void discardIdle(String owner) {
        for (Producer<byte[], byte[]> old = takeIdle(owner); old != null; old = takeIdle(owner)) {
            discard(old);
        }
    }

    /** The producer of a memory, for example; null if it has failed. */
    synchronized Producer<byte[], byte[]> takeIdle(String owner) {
        if (isClosed) {
            throw new IllegalStateException("the application has stopped");
        }
        return idle.getOrDefault(owner, new ArrayDeque<>()).pollFirst();
    }

    private static Producer<byte[], byte[]> create(Map<String, Object> settings) {
        return ClientSettings.inApplication(() -> {
            Producer<byte[], byte[]> producer =
                    new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
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
    void giveBack(String owner, Producer<byte[], byte[]> producer) {
        if (!keep(owner, producer, true)) {
            discard(producer);
        }
    }

    /**
     * Gives a producer back whose batch has failed. Discards it if the brokers have not answered it for long: they may have
     * moved, and then it would never find them again ({@link ClientSettings}).
     *
     * @param producer without an open transaction
     */
    void giveBackAfterFailure(String owner, Producer<byte[], byte[]> producer) {
        if (!keep(owner, producer, false)) {
            discard(producer);
        }
    }

    private synchronized boolean keep(String owner, Producer<byte[], byte[]> producer, boolean hasAnswered) {
        long now = nanos.getAsLong();
        if (hasAnswered || !answered.containsKey(producer)) {
            answered.put(producer, now);
        }
        boolean isKept = !isClosed && now - answered.get(producer) <= Admins.FORGOTTEN.toNanos();
        if (isKept) {
            idle.computeIfAbsent(owner, name -> new ArrayDeque<>()).addFirst(producer);
        }
        return isKept;
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
