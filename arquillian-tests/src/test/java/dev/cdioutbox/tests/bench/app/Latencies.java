package dev.cdioutbox.tests.bench.app;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.HdrHistogram.Histogram;

/**
 * Measures the time from the call of {@code commit} to the consumer, in an open loop: transactions begin at a fixed rate,
 * however long the ones before took. If a transaction begins late, its lateness counts (coordinated omission).
 */
@ApplicationScoped
public class Latencies {
    /** After so long without another message, those that are missing count as lost. A slow way may drain for minutes. */
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private static final int DIGITS = 3;
    /** More than any block sends, so that no number comes twice. */
    private static final long NUMBERS_OF_A_BLOCK = 10_000_000;

    @Inject
    private Business business;

    @Inject
    private Load load;

    /** By the number of the message: the time of its commit, earlier by the lateness of its begin. */
    private final Map<Long, Long> commits = new ConcurrentHashMap<>();

    private final Map<String, Long> lastOfAccount = new HashMap<>();
    private Histogram micros = new Histogram(DIGITS);
    private long next;
    private long unexpected;
    private long outOfOrder;

    /** What a block measured; the latencies are in microseconds. */
    public record Measured(
            long median, long p99, long messages, long nanos, long lost, long duplicates, long outOfOrder) {}

    /** Sends at a rate. Without one (0), each thread begins a transaction when the one before has ended. */
    Measured run(Way way, int perSecond, int threads, Duration time) throws Exception {
        long first = reset();
        long begun = System.nanoTime();
        Load.Done sent = load.repeatAtRate(time, threads, perSecond, (number, late) -> send(way, first + number, late));
        int missing = Integer.MAX_VALUE;
        long deadline = 0;
        while (!commits.isEmpty()) {
            if (commits.size() < missing) {
                missing = commits.size();
                deadline = System.nanoTime() + LONGEST.toNanos();
            } else if (System.nanoTime() > deadline) {
                break;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        return measured(sent.count(), System.nanoTime() - begun);
    }

    private void send(Way way, long number, long late) throws Exception {
        business.time(way, number, () -> commits.put(number, System.nanoTime() - late));
    }

    /** @return the number of the first message of a block */
    private synchronized long reset() {
        micros = new Histogram(DIGITS);
        lastOfAccount.clear();
        commits.clear();
        unexpected = 0;
        outOfOrder = 0;
        next += NUMBERS_OF_A_BLOCK;
        return next;
    }

    private synchronized Measured measured(long sent, long nanos) {
        return new Measured(
                micros.getValueAtPercentile(50),
                micros.getValueAtPercentile(99),
                sent,
                nanos,
                commits.size(),
                unexpected,
                outOfOrder);
    }

    /** Called by the consumer. */
    synchronized void arrived(String account, String body) {
        long now = System.nanoTime();
        long number = BenchEvent.number(body);
        Long committed = commits.remove(number);
        if (committed == null) {
            unexpected++;
            return;
        }
        micros.recordValue(TimeUnit.NANOSECONDS.toMicros(now - committed));
        Long before = lastOfAccount.put(account, number);
        if (before != null && before > number) {
            outOfOrder++;
        }
    }
}
