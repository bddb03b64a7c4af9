package dev.cdioutbox.internal.store;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Tracks, per partition, the sequence below which nothing is pending, so that a scan skips dead index entries. Also
 * tracks the messages that were requeued below it: delayed, retried or replayed ones, which have no place in their
 * key's order any more. Thread-safe.
 */
final class ReadWatermarks {
    /** With more requeued messages, the partition is read in order again. */
    static final int MAX_REQUEUED = 10_000;

    private final Map<Long, Long> watermarks = new ConcurrentHashMap<>();
    private final Map<Long, Long> requeued = new ConcurrentSkipListMap<>();
    /**
     * All transactions in flight have higher sequences. To be read before the rows from which a read watermark is
     * derived.
     */
    private volatile long commitWatermark;

    /**
     * All transactions in flight have higher sequences. To be read before the rows from which a read watermark is
     * derived.
     */
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
     * A partition had no row up to a sequence.
     *
     * @param from the watermark above which the partition was read; if it has changed meanwhile, a row was found below
     *     it
     */
    void raise(long queue, long from, long to) {
        if (to > from && !watermarks.replace(queue, from, to) && from == 0) {
            watermarks.putIfAbsent(queue, to);
        }
    }

    /** The partition is read in order from this sequence on. */
    void lower(long queue, long to) {
        watermarks.computeIfPresent(queue, (q, watermark) -> Math.min(watermark, to));
    }

    /**
     * A committed message was requeued, or was found below the watermark. Above the commit watermark it is read in
     * order: no node that does not see it yet can raise the watermark that far.
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

    /** Forgets messages above their read watermark, which are read in order. */
    void dropReached() {
        requeued.entrySet().removeIf(entry -> entry.getKey() > readWatermark(entry.getValue()));
    }

    /** These messages wait no longer. */
    void remove(Collection<Long> sequences) {
        requeued.keySet().removeAll(Set.copyOf(sequences));
    }

    /** The lowest requeued messages of some partitions, without some of them. */
    List<Long> requeued(Collection<Integer> queues, int most, Set<Long> without) {
        Set<Long> wanted = new HashSet<>();
        queues.forEach(queue -> wanted.add((long) queue));
        return requeued.entrySet().stream()
                .filter(entry -> wanted.contains(entry.getValue()) && !without.contains(entry.getKey()))
                .limit(most)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The known messages below the read watermarks. */
    List<Long> requeuedBelow() {
        return requeued.entrySet().stream()
                .filter(entry -> entry.getKey() <= readWatermark(entry.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The partitions with requeued messages. */
    Set<Long> partitionsWithRequeued() {
        return requeued.isEmpty() ? Set.of() : new HashSet<>(requeued.values());
    }
}
