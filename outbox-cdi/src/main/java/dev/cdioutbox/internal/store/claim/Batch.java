package dev.cdioutbox.internal.store.claim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.ClaimLimits;
import dev.cdioutbox.internal.store.sql.ClaimedMessage;

/** The rows that a claim accepts: for each key in order and without a gap. Belongs to one claim. */
final class Batch {
    private final ClaimLimits limits;
    private final FairQueueOrder queueOrder;
    private final InDoubtRows inDoubt;
    private final List<OutboxMessage> messages = new ArrayList<>();
    private final List<ClaimedMessage> undecodable = new ArrayList<>();
    private final Set<String> skippedKeys = new HashSet<>();
    private final Map<Long, Long> queueOfMessage = new HashMap<>();
    /** The queues of which a row did not fit into the batch. */
    private final Set<Long> truncatedQueues = new HashSet<>();

    private long bytes;

    Batch(ClaimLimits limits, FairQueueOrder queueOrder, InDoubtRows inDoubt) {
        this.limits = limits;
        this.queueOrder = queueOrder;
        this.inDoubt = inDoubt;
    }

    List<OutboxMessage> messages() {
        return queueOrder.inOrder(messages);
    }

    Map<Long, String> undecodable() {
        return undecodable.stream().collect(Collectors.toMap(ClaimedMessage::sequence, ClaimedMessage::problem));
    }

    Set<Long> sequences() {
        Set<Long> sequences = new HashSet<>();
        messages.forEach(message -> sequences.add(message.sequence()));
        undecodable.forEach(row -> sequences.add(row.sequence()));
        return sequences;
    }

    boolean isEmpty() {
        return messages.isEmpty() && undecodable.isEmpty();
    }

    /** The queues from which a row was accepted. */
    Set<Long> servedQueues() {
        return sequences().stream().map(queueOfMessage::get).collect(Collectors.toSet());
    }

    /** The queues of which something found no room. */
    Set<Long> truncatedQueues() {
        return truncatedQueues;
    }

    /** @return whether the row is sent or abandoned with this batch */
    boolean accept(long queue, int partition, ClaimedMessage row) {
        if (inDoubt.includes(row.sequence(), row.key()) || (row.key() != null && skippedKeys.contains(row.key()))) {
            return false;
        }
        if (row.keyBlocked() || !row.due()) {
            skipKey(row.key());
            return false;
        }
        if (row.message() == null) {
            boolean first = row.key() == null
                    || messages.stream().noneMatch(message -> row.key().equals(message.orderingKey()));
            skipKey(row.key());
            if (first) {
                // Only the first of its key: abandoned before its predecessors, with on-abandon=block it would block
                // them for ever.
                undecodable.add(row);
                queueOfMessage.put(row.sequence(), queue);
            }
            return first;
        }
        int size = row.bytes();
        if (queueOrder.exceedsShare(queue, size)) {
            queueOrder.close(queue);
            truncatedQueues.add(queue);
            skipKey(row.key());
            return false;
        }
        if (messages.size() >= limits.messages() || (!messages.isEmpty() && bytes + size > limits.bytes())) {
            queueOrder.end(queue, partition);
            truncatedQueues.add(queue);
            return false;
        }
        bytes += size;
        queueOrder.accepted(queue, partition, row.sequence(), size);
        messages.add(row.message());
        queueOfMessage.put(row.sequence(), queue);
        return true;
    }

    /** No further message of this key is accepted; the key may be null. */
    void skipKey(String key) {
        if (key != null) {
            skippedKeys.add(key);
        }
    }

    /** Removes the accepted messages of these keys and accepts no further ones. */
    void skipKeys(Set<String> keys) {
        keys.forEach(this::skipKey);
        messages.removeIf(message -> message.orderingKey() != null && keys.contains(message.orderingKey()));
    }

    /** Removes the rows that are locked by other transactions, and their followers. */
    void removeUnlockable(Set<Long> lockable) {
        messages.forEach(message -> addInDoubt(lockable, message.sequence(), message.orderingKey()));
        undecodable.forEach(row -> addInDoubt(lockable, row.sequence(), row.key()));
        messages.removeIf(message -> inDoubt.includes(message.sequence(), message.orderingKey()));
        undecodable.removeIf(row -> inDoubt.includes(row.sequence(), row.key()));
    }

    private void addInDoubt(Set<Long> lockable, long sequence, String key) {
        if (!lockable.contains(sequence)) {
            inDoubt.add(sequence, key);
        }
    }

    /** The batch is read again from the start. */
    void reset() {
        messages.clear();
        undecodable.clear();
        skippedKeys.clear();
        queueOfMessage.clear();
        truncatedQueues.clear();
        bytes = 0;
    }
}
