package dev.cdioutbox.internal.store;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.OutboxMessage;

/**
 * The partitions of a claim, one after the other. Its batch may be full before each had been served: those that had none come first
 * in the next claim. Within a partition, its own queue, the blocked keys and what was put back share the room, so that none of them
 * keeps the others waiting. Belongs to one claim.
 */
final class FairQueueOrder {
    /** Stands for what was put back, of all partitions. */
    static final long REQUEUED = 0;

    private final List<Integer> partitions;
    private final Map<Integer, Integer> places = new HashMap<>();
    private final long batchBytes;
    private final Map<Long, Integer> partitionOfQueue = new HashMap<>();
    private final Map<Integer, Integer> queues = new HashMap<>();
    private final Map<Long, Integer> partitionOfMessage = new HashMap<>();
    private final Map<Long, Long> queueOfMessage = new HashMap<>();
    private final Map<Long, Long> bytesTaken = new HashMap<>();
    private long endQueue;
    private Integer end;

    /**
     * @param partitions in the order of their turns
     * @param room the bytes of a batch
     */
    FairQueueOrder(List<Integer> partitions, long room) {
        this.partitions = List.copyOf(partitions);
        this.partitions.forEach(partition -> places.put(partition, places.size()));
        this.batchBytes = room;
    }

    /** A queue is going to be read, of this partition. */
    void add(long queue, int partition) {
        partitionOfQueue.put(queue, partition);
        queues.merge(partition, 1, Integer::sum);
    }

    /** Whether a queue with so much more would take the room of others; its first message never does. */
    boolean exceedsShare(long queue, int bytes) {
        int sharing = queue == REQUEUED ? 2 : queues.get(partitionOfQueue.get(queue));
        Long before = bytesTaken.get(queue);
        return sharing > 1 && before != null && before + bytes > batchBytes / sharing;
    }

    /** Nothing more of this queue. */
    void close(long queue) {
        bytesTaken.put(queue, batchBytes);
    }

    void accepted(long queue, int partition, long sequence, int bytes) {
        bytesTaken.merge(queue, (long) bytes, Long::sum);
        partitionOfMessage.put(sequence, partition);
        queueOfMessage.put(sequence, queue);
    }

    int partitionOf(OutboxMessage message) {
        return partitionOfMessage.get(message.sequence());
    }

    long queueOf(OutboxMessage message) {
        return queueOfMessage.get(message.sequence());
    }

    /** Whether something of the queue was accepted. */
    boolean hasAccepted(long queue) {
        return bytesTaken.containsKey(queue);
    }

    /** Whether the batch is full, and this partition has more. */
    boolean isBatchEnd(int partition) {
        return end != null && end == partition;
    }

    /** The queue that has more, if any has. */
    long endQueue() {
        return endQueue;
    }

    int partitionOf(long queue) {
        return partitionOfQueue.get(queue);
    }

    /** The batch is full, and this queue of this partition has more. */
    void end(long queue, int partition) {
        endQueue = queue;
        end = partition;
    }

    /** Of queues that were read in this order, those that were read to their end. */
    List<Long> fullyRead(List<Long> read) {
        return end == null ? read : read.subList(0, Math.max(0, read.indexOf(endQueue)));
    }

    boolean isFull() {
        return end != null;
    }

    /** Nothing of it counts: it begins anew. */
    void reset() {
        partitionOfQueue.clear();
        queues.clear();
        partitionOfMessage.clear();
        queueOfMessage.clear();
        bytesTaken.clear();
        end = null;
    }

    /** One partition after the other. */
    List<OutboxMessage> inOrder(List<OutboxMessage> messages) {
        return messages.stream()
                .sorted(Comparator.comparingInt(message -> places.get(partitionOfMessage.get(message.sequence()))))
                .toList();
    }

    /**
     * The last partition, in their order, that had been served.
     *
     * @param batch what was accepted
     * @param none the answer if none had
     */
    int lastServed(List<OutboxMessage> batch, int none) {
        if (end == null) {
            return partitions.get(partitions.size() - 1);
        }
        int place = places.get(end);
        if (batch.stream().anyMatch(message -> end.equals(partitionOfMessage.get(message.sequence())))) {
            return end;
        }
        return place == 0 ? none : partitions.get(place - 1);
    }

    /**
     * The same if the batch ended before a message of it.
     *
     * @param batch in the order of partitions
     */
    int lastServedBefore(OutboxMessage message, List<OutboxMessage> batch, int none) {
        int last = none;
        for (OutboxMessage before : batch) {
            if (before.sequence() == message.sequence()) {
                break;
            }
            last = partitionOfMessage.get(before.sequence());
        }
        return last;
    }
}
