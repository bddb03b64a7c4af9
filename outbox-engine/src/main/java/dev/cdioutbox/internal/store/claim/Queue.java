package dev.cdioutbox.internal.store.claim;

import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.Followers;

/**
 * A queue that a claim reads, which is that of a partition, or a {@link BlockedKeyQueue} beside it. Keeps the accepted rows of its
 * page, and what the rows that were left out show. One thread uses it.
 *
 * <pre>
 *   beginPage ─► for each row: requireOrder ─► accept or leaveOut, as {@link Batch} decides ─► what the page shows
 * </pre>
 */
sealed class Queue permits BlockedKeyQueue {
    private final long id;
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
    private boolean hasFollowers;
    private boolean hasLaterUnreadable;

    /**
     * @param after the sequence after which it is read
     * @param share the queue's part of the batch in bytes; its first message may be larger
     */
    Queue(long id, long after, long share) {
        this.id = id;
        this.after = after;
        this.share = share;
    }

    final long id() {
        return id;
    }

    long partition() {
        return id;
    }

    /** Begins with the first rows. None was accepted before. */
    void beginPage(int size) {
        pageSize = size;
        last = after;
        seen = 0;
        followers = new Followers();
        hasFollowers = false;
        hasLaterUnreadable = false;
    }

    /** Goes on with one row behind the accepted ones. */
    final void extendPage() {
        pageSize++;
        after = accepted.get(accepted.size() - 1).sequence();
        last = after;
    }

    final long after() {
        return after;
    }

    final int pageSize() {
        return pageSize;
    }

    /**
     * Checks that the rows come in the order of their sequence, on which the order of a batch rests. SQL does not promise it,
     * because the ORDER BY of the statement is in each part of a union and not around it.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0326 if the row comes after a later one of its queue
     */
    final void requireOrder(String destination, long sequence) {
        if (sequence <= last) {
            throw OutboxCode.ROWS_OUT_OF_ORDER.exception(destination, sequence, last, id);
        }
        last = sequence;
    }

    final boolean mustWait(Row row) {
        return followers.mustWait(row.key());
    }

    final boolean exceedsShare(Row row) {
        return bytes > 0 && bytes + row.bytes() > share;
    }

    /** Whether only a delivery of the next row may allow to give up the accepted ones, of which each has one attempt left. */
    boolean needsFollower(int lastAttempt) {
        return false;
    }

    final void accept(Row row) {
        seen++;
        accepted.add(row);
        bytes += row.bytes();
        if (!row.isReadable()) {
            followers.waitFor(row.key());
        }
    }

    /** Leaves a row out, and with it those that follow it. */
    void leaveOut(Row row) {
        seen++;
        hasFollowers |= row.keyBlocked();
        hasLaterUnreadable |= !row.isReadable();
        followers.waitFor(row.key());
    }

    final List<Row> accepted() {
        return accepted;
    }

    final boolean hasAccepted(String key) {
        return key != null && accepted.stream().anyMatch(row -> key.equals(row.key()));
    }

    final boolean hasAcceptedAll() {
        return accepted.size() == seen;
    }

    /** Whether the page has no row. */
    final boolean isEmpty() {
        return seen == 0;
    }

    /** Whether the queue has no more rows than these. */
    final boolean isAtEnd() {
        return seen < pageSize;
    }

    /** Whether rows to send may come behind the page, of which every row has to wait. */
    boolean hidesRows() {
        return accepted.isEmpty() && !isAtEnd();
    }

    /** Whether the partition has rows of blocked keys. */
    final boolean hasFollowers() {
        return hasFollowers;
    }

    /** Whether the batch leaves out an unreadable row, for example because others of its key come first. */
    final boolean hasLaterUnreadable() {
        return hasLaterUnreadable;
    }
}
