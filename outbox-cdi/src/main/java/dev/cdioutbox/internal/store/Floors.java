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
 * settled there; and what was put back below that. A floor holds for messages that have a place in their key's order. What is
 * put back (delayed, retried, replayed) has none any more. Thread-safe.
 */
final class Floors {
    /** Where more is put back, the partition is read in order again. */
    static final int MOST_RETURNED = 10_000;

    private final Map<Long, Long> floors = new ConcurrentHashMap<>();
    private final Map<Long, Long> returned = new ConcurrentSkipListMap<>();
    private volatile Map<Long, Instant> dueAfter = Map.of();
    private volatile long horizon;

    /** Up to here nobody writes any more. To be asked for before rows are read that are to tell what is empty. */
    long horizon() {
        return horizon;
    }

    void reach(long sequence) {
        horizon = sequence;
    }

    boolean isEmpty() {
        return floors.isEmpty();
    }

    long of(long queue) {
        return floors.getOrDefault(queue, 0L);
    }

    Map<Long, Long> all() {
        return Map.copyOf(floors);
    }

    /**
     * Nothing was found in a partition up to a sequence.
     *
     * @param from the floor above which was read; if it is another one by now, something was found below it meanwhile
     */
    void raise(long queue, long from, long to) {
        if (to > from && !floors.replace(queue, from, to) && from == 0) {
            floors.putIfAbsent(queue, to);
        }
    }

    /** @param times before which nothing is due, by the queues; of others nothing is known */
    void dueAfter(Map<Long, Instant> times) {
        dueAfter = Map.copyOf(times);
    }

    /**
     * After which time what is due is looked for in a queue: the gates of a partition, or the delayed messages. What comes there
     * late, with a time before that, is found by the next look, and waits meanwhile; there is no order between them.
     */
    String dueAfter(long queue) {
        Instant time = dueAfter.get(queue);
        return time == null ? "-infinity" : time.toString();
    }

    /** So that the partition is read in order from there on. */
    void lower(long queue, long to) {
        floors.computeIfPresent(queue, (q, floor) -> Math.min(floor, to));
    }

    /**
     * A message was put back, which is committed, or was found below the floor. Above the horizon it is read in order: nobody
     * who does not see it yet can raise the floor so far.
     */
    void putBack(long queue, long sequence) {
        if (sequence <= horizon) {
            if (returned.size() < MOST_RETURNED || returned.containsKey(sequence)) {
                returned.put(sequence, queue);
            } else {
                lower(queue, sequence - 1);
            }
        }
    }

    /** Leaves room: what is above its floor by now is read in order. */
    void tidy() {
        returned.entrySet().removeIf(entry -> entry.getKey() > of(entry.getValue()));
    }

    /** It waits there no longer. */
    void forget(Collection<Long> sequences) {
        returned.keySet().removeAll(Set.copyOf(sequences));
    }

    /** The first of what was put back into some partitions, without some of them. */
    List<Long> returned(Collection<Integer> queues, int most, Set<Long> without) {
        Set<Long> wanted = new HashSet<>();
        queues.forEach(queue -> wanted.add((long) queue));
        return returned.entrySet().stream()
                .filter(entry -> wanted.contains(entry.getValue()) && !without.contains(entry.getKey()))
                .limit(most)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** What waits below the floors, as far as that is known. */
    List<Long> below() {
        return returned.entrySet().stream()
                .filter(entry -> entry.getKey() <= of(entry.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The partitions in which something was put back. */
    Set<Long> queuesWithReturned() {
        return returned.isEmpty() ? Set.of() : new HashSet<>(returned.values());
    }
}
