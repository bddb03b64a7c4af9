package dev.cdioutbox.internal.store.claim;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.Followers;
import dev.cdioutbox.internal.store.claim.BlockedKeys.Maintenance;

/**
 * Selects the rows of a batch among those that a claim reads: of each key, the first rows in order and without a gap, until
 * one has to wait. Does not use the database.
 *
 * <table>
 * <caption>The first rule that applies to a row</caption>
 * <tr><th>the row</th><th>is</th></tr>
 * <tr><td>is in doubt, or follows a row of its key that is in doubt or was left out</td><td>left out</td></tr>
 * <tr><td>is not due, or is still in the partition although its key is blocked</td><td>left out</td></tr>
 * <tr><td>is unreadable, behind others of its key: abandoned before them, it would block them for ever</td>
 *     <td>left out</td></tr>
 * <tr><td>is in the queue of a blocked key, behind messages that all have one attempt left: only a delivery of this row may allow
 *     to give them up</td><td>accepted</td></tr>
 * <tr><td>exceeds the share of its queue, and is not the first of it</td><td>left out</td></tr>
 * <tr><td>exceeds the limits of the batch</td><td>left out, and ends the batch</td></tr>
 * <tr><td>is unreadable, and the first of its key</td><td>accepted, but its followers are left out</td></tr>
 * <tr><td>other rows</td><td>accepted</td></tr>
 * </table>
 */
final class Batch {
    private final ClaimLimits limits;
    private final Set<Long> inDoubt;
    private final Set<String> keysInDoubt;
    /** The last page of each queue by its id, in the order of the first reading. */
    private final Map<Long, Page> pages = new LinkedHashMap<>();

    private int size;
    private long bytes;
    /** The queue of the row that has ended the batch. */
    private Queue end;

    /**
     * @param inDoubt the sequences of rows that other transactions lock, most likely in doubt
     * @param keysInDoubt the keys of these rows
     */
    Batch(ClaimLimits limits, Set<Long> inDoubt, Set<String> keysInDoubt) {
        this.limits = limits;
        this.inDoubt = inDoubt;
        this.keysInDoubt = keysInDoubt;
    }

    /** Begins with the first rows of these queues, of which no row was accepted before. */
    void beginPage(List<Queue> queues, int pageSize) {
        queues.forEach(queue -> pages.put(queue.id(), new Page(queue, pageSize)));
    }

    /**
     * Begins with one more row of the queues in which only messages with a last attempt were accepted. If these fail, and nothing
     * else is delivered, a delivery of the next one is needed to give them up. The batch accepts it beyond its limits.
     *
     * @return these queues, behind the rows that were read; empty if there are none
     */
    List<Queue> beginFollowers() {
        return pages.values().stream()
                .filter(page -> page.needsFollower() && !page.isAtEnd())
                .map(Page::next)
                .toList();
    }

    /** @return false if the batch is full */
    boolean add(Row row) {
        Page page = pages.get(row.queue().id());
        boolean isNeeded = page.needsFollower();
        boolean isAccepted = false;
        if (mustWait(row, page) || !isNeeded && page.exceedsShare(row)) {
            page.followers.waitFor(row.key());
        } else if (!isNeeded && exceedsLimits(row)) {
            end = page.queue;
        } else {
            page.accept(row);
            size++;
            bytes += row.bytes();
            isAccepted = true;
        }
        page.seen.add(new Seen(row.due(), row.keyBlocked(), row.isReadable(), isAccepted));
        page.hasLastAttemptsOnly &= isAccepted && row.hasFailed() && row.attempts() >= limits.lastAttempt();
        return end == null;
    }

    private boolean exceedsLimits(Row row) {
        return size >= limits.messages() || size > 0 && bytes + row.bytes() > limits.bytes();
    }

    private boolean mustWait(Row row, Page page) {
        return inDoubt.contains(row.sequence())
                || keysInDoubt.contains(row.key())
                || page.followers.mustWait(row.key())
                || row.keyBlocked()
                || !row.due()
                || !row.isReadable() && page.hasAccepted(row.key());
    }

    /**
     * The partitions to read again with a larger page, because every row of the last one has to wait, and rows to send may
     * come after them. Behind followers of blocked keys a claim reads no further than the maintenance scans, because the
     * maintenance moves them and the next claim reads what they have hidden; unless they are stuck.
     *
     * @param stuck the partitions whose followers the last maintenance could not move
     */
    List<Queue> hidden(List<Queue> read, Set<Long> stuck) {
        return isFull()
                ? List.of()
                : read.stream().filter(queue -> mayHide(queue, stuck)).toList();
    }

    private boolean mayHide(Queue queue, Set<Long> stuck) {
        Page page = pages.get(queue.id());
        boolean isForMaintenance = page.hasFollowers()
                && page.size >= BlockedKeys.ROWS_SCANNED_FOR_FOLLOWERS
                && !stuck.contains(queue.partition());
        return !queue.isBlockedKey() && page.accepted.isEmpty() && !page.isAtEnd() && !isForMaintenance;
    }

    /** Whether the batch has left out a row for lack of room. */
    boolean isFull() {
        return end != null;
    }

    /** The accepted rows, queue by queue. */
    List<Row> rows() {
        return pages.values().stream().flatMap(page -> page.accepted.stream()).toList();
    }

    /** Whether the queues have been read to their ends, and nothing was left out that may be sent or abandoned soon. */
    boolean isComplete() {
        return !isFull()
                && maintenance().isEmpty()
                && pages.values().stream().allMatch(page -> page.isAtEnd() && !page.hasLaterUnreadable());
    }

    /** What has to be done to blocked keys, after the batch. */
    Maintenance maintenance() {
        Maintenance due = new Maintenance(new HashSet<>(), new HashSet<>(), new HashSet<>());
        boolean isRead = true;
        for (Page page : pages.values()) {
            Queue queue = page.queue;
            // The batch may have ended before the rows of the queues behind it came.
            isRead &= !queue.equals(end);
            if (page.hasFollowers()) {
                due.partitionsToClear().add(queue.partition());
            }
            if (isRead && queue.isBlockedKey() && page.isAccepted()) {
                due.perhapsEmpty().add(queue.id());
            } else if (isRead && queue.isBlockedKey() && page.beginsLater()) {
                due.notYetDue().add(queue.id());
            }
        }
        return due;
    }

    /** The first rows of a queue: what was selected of them, and what was seen. */
    private static final class Page {
        private final Queue queue;
        private final List<Row> accepted = new ArrayList<>();
        private final Followers followers = new Followers();
        private long bytes;
        /** Each row, also those whose messages the batch does not keep. */
        private final List<Seen> seen = new ArrayList<>();

        private int size;
        private boolean hasLastAttemptsOnly = true;

        Page(Queue queue, int size) {
            this.queue = queue;
            this.size = size;
        }

        /** Whether all messages of a key have one attempt left. */
        boolean needsFollower() {
            return queue.isBlockedKey() && !seen.isEmpty() && hasLastAttemptsOnly;
        }

        Queue next() {
            size++;
            long last = accepted.get(accepted.size() - 1).sequence();
            return new Queue(queue.id(), queue.partition(), last, queue.share());
        }

        boolean exceedsShare(Row row) {
            return bytes > 0 && bytes + row.bytes() > queue.share();
        }

        void accept(Row row) {
            accepted.add(row);
            bytes += row.bytes();
            if (!row.isReadable()) {
                followers.waitFor(row.key());
            }
        }

        boolean hasAccepted(String key) {
            return key != null && accepted.stream().anyMatch(row -> key.equals(row.key()));
        }

        /** Whether the queue has no more rows than these. */
        boolean isAtEnd() {
            return seen.size() < size;
        }

        /** Whether all rows of the queue are in the batch. */
        boolean isAccepted() {
            return isAtEnd() && seen.stream().allMatch(Seen::isAccepted);
        }

        /** Whether the first row is not due. */
        boolean beginsLater() {
            return !seen.isEmpty() && !seen.get(0).isDue();
        }

        boolean hasFollowers() {
            return seen.stream().anyMatch(Seen::isFollower);
        }

        /** Whether it has an unreadable row that waits for others of its key. */
        boolean hasLaterUnreadable() {
            return seen.stream().anyMatch(row -> !row.isReadable() && !row.isAccepted());
        }
    }

    /** @param isFollower whether the row is in the partition although its key is blocked */
    private record Seen(boolean isDue, boolean isFollower, boolean isReadable, boolean isAccepted) {}

    /**
     * A queue that a claim reads: a partition, or a due blocked key of a partition.
     *
     * @param id the {@code queue_id} of its rows
     * @param after the sequence after which it is read
     * @param share the queue's part of the batch in bytes; its first message may be larger
     */
    record Queue(long id, long partition, long after, long share) {

        boolean isBlockedKey() {
            return id != partition;
        }
    }

    /**
     * A row that a claim has read from a queue.
     *
     * @param key the ordering key; null without one, and for a delayed message, which has left its key's order
     * @param keyBlocked whether the row is in the partition although its key is blocked
     * @param due whether the message may be sent now
     * @param perhapsLocked whether another transaction may have locked or settled the row
     * @param unfinishedSends how often a send of the message was begun and did not end, since the process crashed
     * @param message null if the row is unreadable
     * @param unreadable null if the row is readable
     */
    record Row(
            Queue queue,
            long sequence,
            String key,
            boolean keyBlocked,
            boolean due,
            boolean perhapsLocked,
            int unfinishedSends,
            OutboxMessage message,
            UnreadableRow unreadable) {

        long partition() {
            return queue.partition();
        }

        boolean isReadable() {
            return message != null;
        }

        /** Whether the message waits for a retry; false for an unreadable row. */
        boolean hasFailed() {
            return message != null && message.delivery().status() == OutboxStatus.FAILED;
        }

        /** 0 for an unreadable row. */
        int attempts() {
            return message == null ? 0 : message.delivery().attempts();
        }

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
