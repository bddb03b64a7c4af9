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

    private final Writer writer;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final List<Future<?>> running = new ArrayList<>();
    private final AtomicLong fired = new AtomicLong();
    private final Queue<Arrival> arrivals = new ConcurrentLinkedQueue<>();
    private volatile boolean stopping;

    /** @param nanos the latency */
    record Arrival(String key, long nanos) {}

    /** Commits an event. */
    @FunctionalInterface
    interface Writer {
        /** @param begin the first characters of its payload */
        void write(String key, String begin) throws Exception;
    }

    SteadyLoad(Writer writer) {
        this.writer = writer;
    }

    void start() {
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
            writer.write(KEY + event % KEYS, due + " ");
            fired.incrementAndGet();
        }
        return null;
    }

    /** A message has arrived, perhaps not one of this load. */
    void arrived(String key, String payload) {
        long now = System.nanoTime();
        if (key.startsWith(KEY)) {
            arrivals.add(new Arrival(key, now - due(payload)));
        }
    }

    /** The time at which the transaction of a message was due. */
    static long due(String payload) {
        return Long.parseLong(payload.substring(0, payload.indexOf(' ')));
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
        return percentile(99, keys);
    }

    /** Returns the median of the latencies, in milliseconds. */
    double median() {
        return percentile(50, key -> true);
    }

    private double percentile(int part, Predicate<String> keys) {
        long[] nanos = arrivals.stream()
                .filter(arrival -> keys.test(arrival.key()))
                .mapToLong(Arrival::nanos)
                .sorted()
                .toArray();
        return nanos[nanos.length * part / 100] / 1e6;
    }

    @Override
    public void close() {
        stopping = true;
        threads.shutdown();
    }
}
