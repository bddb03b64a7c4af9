package dev.cdioutbox.internal.store.claim;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.ClaimLimits;

/**
 * The rows that a claim accepts: each key in order and without a gap. The queues of a partition share the batch, so
 * that none of them starves. If the batch is full before all partitions are served, the next claim begins with the
 * others. Belongs to one claim.
 */
final class Batch {
    private final ClaimLimits limits;
    private final List<Integer> partitions;
    private final InDoubtRows inDoubt;
    private final List<Accepted> rows = new ArrayList<>();
    private final Set<String> skippedKeys = new HashSet<>();
    private QueueScan end;
    private long bytes;

    /** @param partitions the partitions in the order of service */
    Batch(ClaimLimits limits, List<Integer> partitions, InDoubtRows inDoubt) {
        this.limits = limits;
        this.partitions = partitions;
        this.inDoubt = inDoubt;
    }

    /** @return whether the batch sends or abandons the row */
    boolean accept(QueueScan queue, ClaimedMessage row) {
        if (inDoubt.includes(row.sequence(), row.key()) || row.key() != null && skippedKeys.contains(row.key())) {
            return false;
        }
        if (row.keyBlocked() || !row.due()) {
            skipKey(row.key());
            return false;
        }
        if (row.message() == null) {
            // Accept an unreadable row only as the first of its key. Abandoned before its predecessors, it would block
            // them for ever with on-abandon=block.
            boolean first = row.key() == null
                    || rows.stream().noneMatch(accepted -> row.key().equals(accepted.key()));
            skipKey(row.key());
            if (first) {
                rows.add(new Accepted(queue, row));
            }
            return first;
        }
        int size = row.bytes();
        if (queue.exceedsShare(size)) {
            queue.close();
            skipKey(row.key());
            return false;
        }
        if (rows.size() >= limits.messages() || !rows.isEmpty() && bytes + size > limits.bytes()) {
            queue.truncate();
            end = queue;
            return false;
        }
        bytes += size;
        queue.accepted(size);
        rows.add(new Accepted(queue, row));
        return true;
    }

    /** Whether the batch has left out a row for lack of room. */
    boolean isFull() {
        return end != null;
    }

    /** The queue of the first row without room; null if the batch is not full. */
    QueueScan end() {
        return end;
    }

    /** The messages, partition by partition. */
    List<OutboxMessage> messages() {
        return inOrder().map(accepted -> accepted.row().message()).toList();
    }

    private Stream<Accepted> inOrder() {
        return rows.stream()
                .filter(Accepted::isMessage)
                .sorted(Comparator.comparingInt(
                        accepted -> partitions.indexOf(accepted.queue().partition())));
    }

    /** The unreadable rows by sequence, with the reason. */
    Map<Long, String> unreadable() {
        return rows.stream()
                .map(Accepted::row)
                .filter(row -> row.message() == null)
                .collect(Collectors.toMap(ClaimedMessage::sequence, ClaimedMessage::problem));
    }

    Set<Long> sequences() {
        return rows.stream().map(accepted -> accepted.row().sequence()).collect(Collectors.toSet());
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    /** The queues with an accepted row. */
    Set<QueueScan> servedQueues() {
        return rows.stream().map(Accepted::queue).collect(Collectors.toSet());
    }

    /** The queue of a message. */
    QueueScan queueOf(OutboxMessage message) {
        return rows.stream()
                .filter(accepted -> accepted.row().sequence() == message.sequence())
                .findFirst()
                .orElseThrow()
                .queue();
    }

    /** The messages before another one, in the order of the send. */
    List<Accepted> before(OutboxMessage message) {
        return inOrder()
                .takeWhile(accepted -> accepted.row().sequence() != message.sequence())
                .toList();
    }

    /**
     * The last served partition.
     *
     * @param none the result if none was served
     */
    int lastServedPartition(int none) {
        if (end == null) {
            return partitions.get(partitions.size() - 1);
        }
        int partition = end.partition();
        if (rows.stream()
                .anyMatch(accepted -> accepted.isMessage() && accepted.queue().partition() == partition)) {
            return partition;
        }
        int place = partitions.indexOf(partition);
        return place == 0 ? none : partitions.get(place - 1);
    }

    /** The same if the batch ends before one of its messages. */
    int lastServedPartitionBefore(OutboxMessage message, int none) {
        List<Accepted> before = before(message);
        return before.isEmpty() ? none : before.get(before.size() - 1).queue().partition();
    }

    /** Accepts no further message of this key; ignores null. */
    private void skipKey(String key) {
        if (key != null) {
            skippedKeys.add(key);
        }
    }

    /** Removes the accepted rows of these keys and accepts no further ones. */
    void skipKeys(Set<String> keys) {
        keys.forEach(this::skipKey);
        rows.removeIf(accepted -> accepted.key() != null && keys.contains(accepted.key()));
    }

    /** Removes the rows that other transactions lock, and later rows of their keys. */
    void removeUnlockable(Set<Long> lockable) {
        rows.stream()
                .map(Accepted::row)
                .filter(row -> !lockable.contains(row.sequence()))
                .forEach(row -> inDoubt.add(row.sequence(), row.key()));
        rows.removeIf(accepted -> inDoubt.includes(accepted.row().sequence(), accepted.key()));
    }

    /** Empties the batch, before the claim reads all queues again. */
    void reset() {
        rows.clear();
        skippedKeys.clear();
        end = null;
        bytes = 0;
    }

    /** A row of the batch, with its queue. */
    record Accepted(QueueScan queue, ClaimedMessage row) {

        String key() {
            return row.key();
        }

        boolean isMessage() {
            return row.message() != null;
        }
    }
}
