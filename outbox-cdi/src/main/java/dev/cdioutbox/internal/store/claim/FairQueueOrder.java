package dev.cdioutbox.internal.store.claim;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.OutboxMessage;

/**
 * The partitions of a claim in fair order. If the batch is full before all are served, the next claim begins with the
 * others. Within a partition, its own queue and its blocked keys share the room of the batch, so
 * that none of them starves. Belongs to one claim.
 */
final class FairQueueOrder {
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
     * @param partitions in the order in which they are served
     * @param batchBytes the limit of a batch
     */
    FairQueueOrder(List<Integer> partitions, long batchBytes) {
        this.partitions = List.copyOf(partitions);
        this.partitions.forEach(partition -> places.put(partition, places.size()));
        this.batchBytes = batchBytes;
    }

    /** A queue of this partition is read. */
    void add(long queue, int partition) {
        partitionOfQueue.put(queue, partition);
        queues.merge(partition, 1, Integer::sum);
    }

    /** Whether so many more bytes exceed the queue's share; the first message never does. */
    boolean exceedsShare(long queue, int bytes) {
        int sharing = queues.get(partitionOfQueue.get(queue));
        Long before = bytesTaken.get(queue);
        return sharing > 1 && before != null && before + bytes > batchBytes / sharing;
    }

    /** No further message of this queue is accepted. */
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

    /** Whether a message of the queue was accepted. */
    boolean hasAccepted(long queue) {
        return bytesTaken.containsKey(queue);
    }

    /** Whether the batch became full at this partition. */
    boolean isBatchEnd(int partition) {
        return end != null && end == partition;
    }

    /** The queue at which the batch became full. */
    long endQueue() {
        return endQueue;
    }

    int partitionOf(long queue) {
        return partitionOfQueue.get(queue);
    }

    /** The batch became full at this queue, which has more. */
    void end(long queue, int partition) {
        endQueue = queue;
        end = partition;
    }

    /** Of queues in the order of the read, those that were read completely. */
    List<Long> fullyRead(List<Long> read) {
        return end == null ? read : read.subList(0, Math.max(0, read.indexOf(endQueue)));
    }

    boolean isFull() {
        return end != null;
    }

    /** Everything is read again. */
    void reset() {
        partitionOfQueue.clear();
        queues.clear();
        partitionOfMessage.clear();
        queueOfMessage.clear();
        bytesTaken.clear();
        end = null;
    }

    /** Partition by partition. */
    List<OutboxMessage> inOrder(List<OutboxMessage> messages) {
        return messages.stream()
                .sorted(Comparator.comparingInt(message -> places.get(partitionOfMessage.get(message.sequence()))))
                .toList();
    }

    /**
     * The last partition that was served.
     *
     * @param batch the accepted messages
     * @param none the result if none was served
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
     * The same if the batch ended before one of its messages.
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
