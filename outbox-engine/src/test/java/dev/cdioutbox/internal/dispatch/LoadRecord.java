package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.spi.DestinationId;

/**
 * Records the messages written and delivered in a long run, and samples the size of the tables, the connections and the
 * heap after a garbage collection. The number of rows is PostgreSQL's estimate.
 */
public final class LoadRecord implements DispatchListener {
    private static final String SIZE = "SELECT SUM(%s(relid)) FROM pg_stat_user_tables"
            + " WHERE relname IN ('shop_message', 'shop_queue', 'shop_delivery')";

    private final TestDatabase database;
    private final Map<String, Integer> written = new ConcurrentHashMap<>();
    private final Map<String, Integer> delivered = new ConcurrentHashMap<>();
    private final AtomicLong count = new AtomicLong();
    private final List<String> wrong = new ArrayList<>();
    private final List<Sample> samples = new ArrayList<>();
    private final LongAdder claims = new LongAdder();
    private final LongAdder claimNanos = new LongAdder();
    private volatile long total;
    private Sample quiet;

    LoadRecord(TestDatabase database) {
        this.database = database;
    }

    @Override
    public void claimed(DestinationId destination, int partitions, Duration took) {
        claims.increment();
        claimNanos.add(took.toNanos());
    }

    /** @param blocked whether the message waits longer than this backlog is watched */
    void written(String key, int number, boolean blocked) {
        written.put(key, number);
        if (!blocked) {
            count.incrementAndGet();
        }
    }

    long backlog() {
        return count.get() - total;
    }

    int samples() {
        return samples.size();
    }

    void note(Duration since) {
        samples.add(sample(since));
    }

    /** Notes what is left a while after the last message was delivered. */
    void noteQuiet(Duration since) {
        quiet = sample(since);
    }

    private Sample sample(Duration since) {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        long count = Math.max(1, claims.sumThenReset());
        Sample sample = new Sample(
                since,
                total,
                Duration.ofNanos(claimNanos.sumThenReset() / count).toNanos() / 1_000_000.0,
                number("SELECT n_live_tup FROM pg_stat_user_tables WHERE relname = 'shop_message'"),
                number(SIZE.formatted("pg_table_size")) >> 20,
                number(SIZE.formatted("pg_indexes_size")) >> 20,
                number("SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()"),
                runtime.totalMemory() - runtime.freeMemory() >> 20);
        System.out.println(sample);
        return sample;
    }

    void check(List<OutboxMessage> messages) {
        for (OutboxMessage message : messages) {
            String key = message.event().key();
            int number = Integer.parseInt(message.body().text().strip());
            if (number != delivered.getOrDefault(key, 0) + 1) {
                wrong.add("%s: %d after %s".formatted(key, number, delivered.get(key)));
            }
            delivered.put(key, number);
        }
        total += messages.size();
    }

    List<String> wrong() {
        List<String> all = new ArrayList<>(wrong);
        written.forEach((key, last) -> {
            if (!last.equals(delivered.get(key))) {
                all.add("%s: %d written, %s delivered".formatted(key, last, delivered.get(key)));
            }
        });
        return all;
    }

    long waiting() {
        return number("SELECT COUNT(*) FROM shop_queue");
    }

    /**
     * The tables' largest size in the second half, relative to the second quarter. The first quarter fills the tables
     * up to their retention.
     */
    double growth() {
        int half = samples.size() / 2;
        return largest(samples.subList(half, samples.size())) / largest(samples.subList(half / 2, half));
    }

    long connections() {
        return quiet.connections();
    }

    /** The heap after the quiet time, relative to the one of the first sample. */
    double heapGrowth() {
        return (double) quiet.heapMegabytes() / samples.get(0).heapMegabytes();
    }

    /** Messages per second in a part of the run. */
    double rate(double from, double to) {
        Sample first = samples.get((int) (from * (samples.size() - 1)));
        Sample last = samples.get((int) (to * (samples.size() - 1)));
        return (double) (last.delivered() - first.delivered())
                / last.since().minus(first.since()).toSeconds();
    }

    private static double largest(List<Sample> some) {
        return some.stream()
                .mapToLong(sample -> sample.tableMegabytes() + sample.indexMegabytes())
                .max()
                .orElseThrow();
    }

    void print(int nodes, int refused, int failedCommits) {
        System.out.printf(
                "%d dispatchers: %d messages of %d keys, %.0f/s in the first tenth and %.0f/s in the last, %d sends refused,"
                        + " %d commits failed, growth %.2f%n",
                nodes, total, written.size(), rate(0, 0.1), rate(0.9, 1), refused, failedCommits, growth());
    }

    private long number(String query) {
        return Long.parseLong(database.query(query).get(0));
    }

    private record Sample(
            Duration since,
            long delivered,
            double claimMillis,
            long rows,
            long tableMegabytes,
            long indexMegabytes,
            long connections,
            long heapMegabytes) {
        @Override
        public String toString() {
            return "%4d s: %d delivered, %.1f ms a claim, %d rows, tables %d MB, indexes %d MB, %d connections, heap %d MB"
                    .formatted(
                            since.toSeconds(),
                            delivered,
                            claimMillis,
                            rows,
                            tableMegabytes,
                            indexMegabytes,
                            connections,
                            heapMegabytes);
        }
    }
}
