package dev.cdioutbox.internal.store.claim;

import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.Followers;

/**
 * A queue that a claim reads: a partition, or a due blocked key of a partition. Keeps the rows of its page that were accepted, and
 * what the others show. One thread uses it.
 */
final class Queue {
    private final long id;
    private final long partition;
    private final long share;
    private final List<Row> accepted = new ArrayList<>();

    private long after;
    private int pageSize;
    /** The sequence of the last row that was read. */
    private long last;
    /** The number of rows of the page that were accepted or left out. */
    private int seen;
    /** Of the accepted rows. */
    private long bytes;

    private Followers followers = new Followers();
    private boolean beginsLater;
    private boolean hasFollowers;
    private boolean hasLaterUnreadable;

    /**
     * @param after the sequence after which it is read
     * @param share the queue's part of the batch in bytes; its first message may be larger
     */
    static Queue ofPartition(long id, long after, long share) {
        return new Queue(id, id, after, share);
    }

    /** @param share the queue's part of the batch in bytes; its first message may be larger */
    static Queue ofBlockedKey(long id, long partition, long share) {
        return new Queue(id, partition, 0, share);
    }

    private Queue(long id, long partition, long after, long share) {
        this.id = id;
        this.partition = partition;
        this.after = after;
        this.share = share;
    }

    /** Begins with the first rows. None was accepted before. */
    void beginPage(int size) {
        pageSize = size;
        last = after;
        seen = 0;
        followers = new Followers();
        beginsLater = false;
        hasFollowers = false;
        hasLaterUnreadable = false;
    }

    /** Goes on with one row behind the accepted ones. */
    void extendPage() {
        pageSize++;
        after = accepted.get(accepted.size() - 1).sequence();
        last = after;
    }

    long id() {
        return id;
    }

    long partition() {
        return partition;
    }

    long after() {
        return after;
    }

    int pageSize() {
        return pageSize;
    }

    boolean isBlockedKey() {
        return id != partition;
    }

    /**
     * Checks that the rows come in the order of their sequence, on which the order of a batch rests. SQL does not promise it,
     * because the ORDER BY of the statement is in each part of a union and not around it.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0326 if the row comes after a later one of its queue
     */
    void requireOrder(String destination, long sequence) {
        if (sequence <= last) {
            throw OutboxCode.ROWS_OUT_OF_ORDER.exception(destination, sequence, last, id);
        }
        last = sequence;
    }

    boolean mustWait(Row row) {
        return followers.mustWait(row.key());
    }

    boolean exceedsShare(Row row) {
        return bytes > 0 && bytes + row.bytes() > share;
    }

    void accept(Row row) {
        seen++;
        accepted.add(row);
        bytes += row.bytes();
        if (!row.isReadable()) {
            followers.waitFor(row.key());
        }
    }

    /** Leaves a row out, and with it those that follow it. */
    void leaveOut(Row row) {
        beginsLater |= seen == 0 && !row.due();
        hasFollowers |= row.keyBlocked();
        hasLaterUnreadable |= !row.isReadable();
        seen++;
        followers.waitFor(row.key());
    }

    List<Row> accepted() {
        return accepted;
    }

    boolean hasAccepted(String key) {
        return key != null && accepted.stream().anyMatch(row -> key.equals(row.key()));
    }

    /** Whether the queue has no more rows than these. */
    boolean isAtEnd() {
        return seen < pageSize;
    }

    /** Whether all rows of the queue are in the batch. */
    boolean isAccepted() {
        return isAtEnd() && accepted.size() == seen;
    }

    /** Whether rows to send may come behind the page, of which every row has to wait. */
    boolean hidesRows() {
        return !isBlockedKey() && accepted.isEmpty() && !isAtEnd();
    }

    /** Whether all messages of a key that were read have failed, and have at least so many attempts. */
    boolean needsFollower(int attempts) {
        return isBlockedKey()
                && seen > 0
                && accepted.size() == seen
                && accepted.stream().allMatch(row -> row.hasFailed(attempts));
    }

    /** Whether the first row is not due. */
    boolean beginsLater() {
        return beginsLater;
    }

    /** Whether the partition has rows of blocked keys. */
    boolean hasFollowers() {
        return hasFollowers;
    }

    /** Whether it has an unreadable row that waits for others of its key. */
    boolean hasLaterUnreadable() {
        return hasLaterUnreadable;
    }
}
