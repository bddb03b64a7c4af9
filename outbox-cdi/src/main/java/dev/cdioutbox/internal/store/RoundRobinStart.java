package dev.cdioutbox.internal.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * With which of a partition's queues the next batch begins: where a batch was full, with the one that had no part in it. They come
 * in the same order each time, blocked keys before the partition itself, and the first ones might always fill it. A hint: nothing but
 * fairness rests on it. Thread-safe.
 */
final class RoundRobinStart {
    private final Map<Integer, Long> startQueue = new ConcurrentHashMap<>();

    /** Those of a partition's blocked keys that have been served before the partition itself; all of them if it is nobody's. */
    List<BlockedKey> startingAt(int partition, List<BlockedKey> blockedKeys) {
        Long queue = startQueue.get(partition);
        if (queue == null) {
            return blockedKeys;
        }
        if (queue == partition) {
            return List.of();
        }
        List<BlockedKey> rest = blockedKeys.stream()
                .dropWhile(blockedKey -> blockedKey.id() != queue)
                .toList();
        return rest.isEmpty() ? blockedKeys : rest;
    }

    /** The batch came to the end of a partition's queues. */
    void reset(int partition) {
        startQueue.remove(partition);
    }

    /**
     * The batch ended at a queue.
     *
     * @param blocked keys those that were read, in their order
     * @param hadPart whether something of the queue is in the batch
     */
    void batchEndedAt(long queue, boolean hadPart, int partition, List<Long> blockedKeys) {
        List<Long> order = new ArrayList<>(blockedKeys);
        order.add((long) partition);
        int place = order.indexOf(queue);
        if (place >= 0) {
            int next = hadPart ? place + 1 : place;
            if (next < order.size()) {
                startQueue.put(partition, order.get(next));
            } else {
                reset(partition);
            }
        }
    }
}
