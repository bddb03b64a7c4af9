package dev.cdioutbox.internal.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * With which of a partition's queues the next batch begins: where a batch was full, with the one that had no part in it. They come
 * in the same order each time, gates before the partition itself, and the first ones might always fill it. A hint: nothing but
 * fairness rests on it. Thread-safe.
 */
final class Turns {
    private final Map<Integer, Long> first = new ConcurrentHashMap<>();

    /** Those of a partition's gates that have their turn before the partition itself; all of them if it is nobody's. */
    List<Gate> from(int partition, List<Gate> gates) {
        Long queue = first.get(partition);
        if (queue == null) {
            return gates;
        }
        if (queue == partition) {
            return List.of();
        }
        List<Gate> rest = gates.stream().dropWhile(gate -> gate.id() != queue).toList();
        return rest.isEmpty() ? gates : rest;
    }

    /** The batch came to the end of a partition's queues. */
    void begin(int partition) {
        first.remove(partition);
    }

    /**
     * The batch ended at a queue.
     *
     * @param gates those that were read, in their order
     * @param hadPart whether something of the queue is in the batch
     */
    void endedAt(long queue, boolean hadPart, int partition, List<Long> gates) {
        List<Long> order = new ArrayList<>(gates);
        order.add((long) partition);
        int place = order.indexOf(queue);
        if (place >= 0) {
            int next = hadPart ? place + 1 : place;
            if (next < order.size()) {
                first.put(partition, order.get(next));
            } else {
                begin(partition);
            }
        }
    }
}
