package dev.cdioutbox.internal.store.claim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.cdioutbox.internal.store.blockedkey.BlockedKeyTable.BlockedKey;

/**
 * The queue of each partition with which its next batch begins, after a full batch. Without it, the first queues could
 * fill every batch. Only fairness depends on it. Thread-safe.
 */
final class RoundRobinStart {
    private final Map<Integer, Long> startQueue = new ConcurrentHashMap<>();

    /** The blocked keys to read before the partition itself; all of them without a recorded start. */
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

    /** Removes the start of a partition after a batch that read all its queues. */
    void reset(int partition) {
        startQueue.remove(partition);
    }

    /**
     * Records the next start after a batch that ended at a queue.
     *
     * @param blockedKeys the blocked keys that the claim read, in order
     * @param hadPart whether the batch has messages of the queue
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
