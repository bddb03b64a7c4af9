package dev.cdioutbox.tests.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.NewMessage;

/**
 * Business transactions with one event each, at a fixed rate whether or not the machine keeps up. A latency begins at the
 * time at which the transaction was due, so it includes the wait of a transaction that began late.
 */
final class SteadyLoad implements AutoCloseable {
    static final int PER_SECOND = 200;

    private static final String KEY = "steady-";

    /** So that a slow commit does not delay the next transaction. */
    private static final int THREADS = 4;

    /** A multiple of the threads: then each key belongs to one thread, and its events are in order. */
    private static final int KEYS = 1000;

    private static final long INTERVAL = TimeUnit.SECONDS.toNanos(1) / PER_SECOND;

    private final Engine engine;
    private final Node node;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final List<Future<?>> running = new ArrayList<>();
    private final AtomicLong fired = new AtomicLong();
    private final Queue<Arrival> arrivals = new ConcurrentLinkedQueue<>();
    private volatile boolean stopping;

    /** @param nanos the latency */
    record Arrival(String key, long nanos) {}

    SteadyLoad(Engine engine, Node node) {
        this.engine = engine;
        this.node = node;
        node.listen(this::published);
        long begin = System.nanoTime();
        for (int thread = 0; thread < THREADS; thread++) {
            int first = thread;
            running.add(threads.submit(() -> fire(first, begin)));
        }
    }

    private Void fire(int first, long begin) throws Exception {
        for (int event = first; !stopping; event += THREADS) {
            long due = begin + event * INTERVAL;
            while (System.nanoTime() < due) {
                LockSupport.parkNanos(due - System.nanoTime());
            }
            List<NewMessage> transaction = List.of(Engine.message(KEY + event % KEYS, due + " "));
            engine.write(transaction);
            fired.incrementAndGet();
            node.wake(transaction);
        }
        return null;
    }

    private void published(List<OutboxMessage> messages) {
        long now = System.nanoTime();
        for (OutboxMessage message : messages) {
            String key = message.event().key();
            if (key.startsWith(KEY)) {
                String payload = message.body().text();
                arrivals.add(new Arrival(key, now - Long.parseLong(payload.substring(0, payload.indexOf(' ')))));
            }
        }
    }

    long arrived() {
        return arrivals.size();
    }

    /** Stops the load, and returns the number of events. */
    long stop() throws Exception {
        stopping = true;
        for (Future<?> thread : running) {
            thread.get();
        }
        return fired.get();
    }

    /** Returns the 99th percentile of the latencies of some keys, in milliseconds. */
    double p99(Predicate<String> keys) {
        long[] nanos = arrivals.stream()
                .filter(arrival -> keys.test(arrival.key()))
                .mapToLong(Arrival::nanos)
                .sorted()
                .toArray();
        return nanos[nanos.length * 99 / 100] / 1e6;
    }

    @Override
    public void close() {
        stopping = true;
        threads.shutdown();
    }
}
