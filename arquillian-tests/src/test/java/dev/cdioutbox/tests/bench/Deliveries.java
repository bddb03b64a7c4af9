package dev.cdioutbox.tests.bench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * The account of one drain: no message is lost or delivered twice, and each key is in order. The sequences of a key rise, so
 * a copy of a message breaks the order too. Thread-safe.
 */
final class Deliveries {
    private final LongSupplier nanos;
    private final Map<String, Long> lastOfKey = new HashMap<>();
    private final List<Mark> marks = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();
    private Throwable failure;
    private int failedRefreshes;

    /** The messages that were delivered up to a time. */
    private record Mark(long messages, long nanos) {}

    Deliveries() {
        this(System::nanoTime);
    }

    /** @param nanos a monotonic clock in nanoseconds */
    Deliveries(LongSupplier nanos) {
        this.nanos = nanos;
        begin();
    }

    /** The drain begins now. */
    synchronized void begin() {
        marks.clear();
        marks.add(new Mark(0, nanos.getAsLong()));
    }

    /** Records a committed batch. */
    synchronized <M> void add(List<M> batch, Function<M, String> key, ToLongFunction<M> sequence) {
        for (M message : batch) {
            long now = sequence.applyAsLong(message);
            Long before = lastOfKey.put(key.apply(message), now);
            if (before != null && before >= now) {
                wrong.add("%s: %d after %d".formatted(key.apply(message), now, before));
            }
        }
        marks.add(new Mark(count() + batch.size(), nanos.getAsLong()));
        notifyAll();
    }

    /** Ends the drain: {@link #await} throws the failure. */
    synchronized void failed(Throwable cause) {
        failure = cause;
        notifyAll();
    }

    /** Records that a status refresh failed: dispatch goes on without it. */
    synchronized void refreshFailed() {
        failedRefreshes++;
    }

    synchronized int failedRefreshes() {
        return failedRefreshes;
    }

    synchronized long count() {
        return marks.get(marks.size() - 1).messages();
    }

    /**
     * Waits for this number of messages, at most so many milliseconds.
     *
     * @return whether they were delivered
     */
    synchronized boolean await(long messages, long millis) throws InterruptedException {
        if (count() < messages && failure == null) {
            wait(millis);
        }
        if (failure != null) {
            throw new IllegalStateException("the drain failed", failure);
        }
        return count() >= messages;
    }

    /**
     * Checks the account.
     *
     * @throws IllegalStateException if a message was lost, delivered twice or out of order
     */
    synchronized void check(long messages) {
        if (count() != messages || !wrong.isEmpty()) {
            throw new IllegalStateException("%d messages delivered of %d; doubled or out of order: %s"
                    .formatted(count(), messages, wrong.subList(0, Math.min(10, wrong.size()))));
        }
    }

    /** Returns the messages per second from the begin of the drain to its last message. */
    synchronized double rate() {
        return rate(0, count());
    }

    /** Returns the messages per second between two numbers of messages, to the precision of a batch. */
    synchronized double rate(long from, long to) {
        return rate(first(mark -> mark.messages() >= from), first(mark -> mark.messages() >= to));
    }

    /** Returns the messages per second between two values of {@link System#nanoTime}. */
    synchronized double rateBetween(long from, long to) {
        return rate(first(mark -> mark.nanos() >= from), first(mark -> mark.nanos() >= to));
    }

    private Mark first(Predicate<Mark> condition) {
        return marks.stream().filter(condition).findFirst().orElse(marks.get(marks.size() - 1));
    }

    private static double rate(Mark begin, Mark end) {
        return (end.messages() - begin.messages()) * 1e9 / (end.nanos() - begin.nanos());
    }
}
