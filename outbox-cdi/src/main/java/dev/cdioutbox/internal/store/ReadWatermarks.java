package dev.cdioutbox.internal.store;

import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * What this node knows of its partitions: up to which sequence each of them is empty, so that a claim need not come by what was
 * settled there; and what was put back below that. A read watermark holds for messages that have a place in their key's order. What is
 * put back (delayed, retried, replayed) has none any more. Thread-safe.
 */
final class ReadWatermarks {
    /** Where more is put back, the partition is read in order again. */
    static final int MAX_REQUEUED = 10_000;

    private final Map<Long, Long> watermarks = new ConcurrentHashMap<>();
    private final Map<Long, Long> requeued = new ConcurrentSkipListMap<>();
    private volatile Map<Long, Instant> dueAfter = Map.of();
    private volatile long commitWatermark;

    /** Up to here nobody writes any more. To be asked for before rows are read that are to tell what is empty. */
    long commitWatermark() {
        return commitWatermark;
    }

    void raiseCommitWatermark(long sequence) {
        commitWatermark = sequence;
    }

    boolean isEmpty() {
        return watermarks.isEmpty();
    }

    long readWatermark(long queue) {
        return watermarks.getOrDefault(queue, 0L);
    }

    Map<Long, Long> all() {
        return Map.copyOf(watermarks);
    }

    /**
     * Nothing was found in a partition up to a sequence.
     *
     * @param from the read watermark above which was read; if it is another one by now, something was found below it meanwhile
     */
    void raise(long queue, long from, long to) {
        if (to > from && !watermarks.replace(queue, from, to) && from == 0) {
            watermarks.putIfAbsent(queue, to);
        }
    }

    /** @param times before which nothing is due, by the queues; of others nothing is known */
    void dueAfter(Map<Long, Instant> times) {
        dueAfter = Map.copyOf(times);
    }

    /**
     * After which time what is due is looked for in a queue: the blocked keys of a partition, or the delayed messages. What comes there
     * late, with a time before that, is found by the next look, and waits meanwhile; there is no order between them.
     */
    String dueAfter(long queue) {
        Instant time = dueAfter.get(queue);
        return time == null ? "-infinity" : time.toString();
    }

    /** So that the partition is read in order from there on. */
    void lower(long queue, long to) {
        watermarks.computeIfPresent(queue, (q, watermark) -> Math.min(watermark, to));
    }

    /**
     * A message was put back, which is committed, or was found below the read watermark. Above the commit watermark it is read in order: nobody
     * who does not see it yet can raise the read watermark so far.
     */
    void requeued(long queue, long sequence) {
        if (sequence <= commitWatermark) {
            if (requeued.size() < MAX_REQUEUED || requeued.containsKey(sequence)) {
                requeued.put(sequence, queue);
            } else {
                lower(queue, sequence - 1);
            }
        }
    }

    /** Leaves room: what is above its read watermark by now is read in order. */
    void dropReached() {
        requeued.entrySet().removeIf(entry -> entry.getKey() > readWatermark(entry.getValue()));
    }

    /** It waits there no longer. */
    void remove(Collection<Long> sequences) {
        requeued.keySet().removeAll(Set.copyOf(sequences));
    }

    /** The first of what was put back into some partitions, without some of them. */
    List<Long> requeued(Collection<Integer> queues, int most, Set<Long> without) {
        Set<Long> wanted = new HashSet<>();
        queues.forEach(queue -> wanted.add((long) queue));
        return requeued.entrySet().stream()
                .filter(entry -> wanted.contains(entry.getValue()) && !without.contains(entry.getKey()))
                .limit(most)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** What waits below the read watermarks, as far as that is known. */
    List<Long> requeuedBelow() {
        return requeued.entrySet().stream()
                .filter(entry -> entry.getKey() <= readWatermark(entry.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The partitions in which something was put back. */
    Set<Long> partitionsWithRequeued() {
        return requeued.isEmpty() ? Set.of() : new HashSet<>(requeued.values());
    }
}
