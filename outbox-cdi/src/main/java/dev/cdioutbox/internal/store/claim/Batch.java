package dev.cdioutbox.internal.store.claim;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.Claim;

/**
 * The rows that a claim accepts: each key in order and without a gap, and no row in doubt. The queues of a partition
 * share the batch, so that none of them starves. If the batch is full before all partitions are served, the next claim
 * begins with the others. Belongs to one claim.
 */
final class Batch {
    private final Claim.Limits limits;
    private final List<Row> rows = new ArrayList<>();
    /** The rows that other transactions lock, most likely in doubt, and their keys. */
    private final Set<Long> inDoubt = new HashSet<>();

    private final Set<String> keysInDoubt = new HashSet<>();
    private List<Integer> partitions = List.of();
    private QueueScan end;
    private boolean leftOutUnreadable;
    private long bytes;

    Batch(Claim.Limits limits) {
        this.limits = limits;
    }

    /**
     * Empties the batch before a read. Remembers the rows in doubt.
     *
     * @param inOrder the partitions in the order of service
     */
    void begin(List<Integer> inOrder) {
        partitions = inOrder;
        rows.clear();
        end = null;
        leftOutUnreadable = false;
        bytes = 0;
    }

    /** @return whether the batch sends or abandons the row */
    boolean accept(Row row) {
        String key = row.key();
        QueueScan scan = row.scan();
        if (isInDoubt(row) || scan.skips(key)) {
            return false;
        }
        if (row.keyBlocked() || !row.due()) {
            scan.skip(key);
            return false;
        }
        if (row.message() == null) {
            // Accept an unreadable row only as the first of its key. Abandoned before its predecessors, it would block
            // them for ever with on-abandon=block.
            boolean first = key == null || rows.stream().noneMatch(accepted -> key.equals(accepted.key()));
            scan.skip(key);
            if (first) {
                rows.add(row);
            }
            leftOutUnreadable |= !first;
            return first;
        }
        int size = row.bytes();
        if (scan.exceedsShare(size)) {
            scan.skip(key);
            return false;
        }
        if (rows.size() >= limits.messages() || !rows.isEmpty() && bytes + size > limits.bytes()) {
            end = scan;
            return false;
        }
        bytes += size;
        scan.addAccepted(size);
        rows.add(row);
        return true;
    }

    /** Whether the batch has left out a row for lack of room. */
    boolean isFull() {
        return end != null;
    }

    /** The scan of the first row without room; null if the batch is not full. */
    QueueScan end() {
        return end;
    }

    /** The messages, partition by partition. */
    List<OutboxMessage> messages() {
        return inOrder().stream().map(Row::message).toList();
    }

    private List<Row> inOrder() {
        return rows.stream()
                .filter(row -> row.message() != null)
                .sorted(Comparator.comparingInt(row -> partitions.indexOf(row.scan().partition)))
                .toList();
    }

    /** The scans of the messages before another one, in the order of the send; all of them before null. */
    List<QueueScan> scansBefore(OutboxMessage message) {
        return inOrder().stream()
                .takeWhile(row -> message == null || row.sequence() != message.sequence())
                .map(Row::scan)
                .toList();
    }

    /** The unreadable rows by sequence, with the reason. */
    Map<Long, String> unreadable() {
        return rows.stream()
                .filter(row -> row.message() == null)
                .collect(Collectors.toMap(Row::sequence, Row::problem));
    }

    Set<Long> perhapsLocked() {
        return rows.stream().filter(Row::perhapsLocked).map(Row::sequence).collect(Collectors.toSet());
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    /**
     * Removes the rows that other transactions lock, and later rows of their keys.
     *
     * @return whether no row is left of a queue that had one
     */
    boolean removeUnlockable(Set<Long> lockable) {
        Set<QueueScan> emptied = servedScans();
        for (Row row : rows) {
            if (row.perhapsLocked() && !lockable.contains(row.sequence())) {
                inDoubt.add(row.sequence());
                if (row.key() != null) {
                    keysInDoubt.add(row.key());
                }
            }
        }
        rows.removeIf(this::isInDoubt);
        emptied.removeAll(servedScans());
        return !emptied.isEmpty();
    }

    private Set<QueueScan> servedScans() {
        return rows.stream().map(Row::scan).collect(Collectors.toCollection(HashSet::new));
    }

    /** Whether the row is in doubt, or follows a row in doubt of the same key. */
    private boolean isInDoubt(Row row) {
        return inDoubt.contains(row.sequence()) || row.key() != null && keysInDoubt.contains(row.key());
    }

    /** Whether the batch has left out rows that other transactions lock, or an unreadable one behind others of its key. */
    boolean hasLeftOut() {
        return leftOutUnreadable || !inDoubt.isEmpty();
    }

    /** The keys with a message in doubt. */
    Set<String> keysInDoubt() {
        return keysInDoubt;
    }

    /**
     * A row that a claim has read.
     *
     * @param scan the scan that has read the row
     * @param sequence the row's {@code seq}
     * @param key the ordering key; null without one, and for a delayed message, which has left its key's order
     * @param keyBlocked whether the row is in the partition although its key is blocked
     * @param due whether the message may be sent now
     * @param perhapsLocked whether another transaction may have locked or settled the row
     * @param message the message, or null if the row is unreadable
     * @param problem the reason why the row is unreadable, or null
     */
    record Row(
            QueueScan scan,
            long sequence,
            String key,
            boolean keyBlocked,
            boolean due,
            boolean perhapsLocked,
            OutboxMessage message,
            String problem) {

        /** The size in a batch: the payload and the characters of the headers; 0 for an unreadable row. */
        int bytes() {
            if (message == null) {
                return 0;
            }
            int bytes = message.body().bytes();
            for (Map.Entry<String, String> header : message.context().headers().entrySet()) {
                bytes += header.getKey().length() + header.getValue().length();
            }
            return bytes;
        }
    }
}
