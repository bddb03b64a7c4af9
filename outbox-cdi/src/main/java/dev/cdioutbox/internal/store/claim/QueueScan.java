package dev.cdioutbox.internal.store.claim;

import java.util.HashSet;
import java.util.Set;

/**
 * The scan of one queue by one claim, page by page in the order of sequences. A queue is a partition or a blocked key.
 */
final class QueueScan {
    private final long queue;
    private final int partition;
    private final String blockedKey;
    private final long start;
    private final long maxBytes;

    private long pageStart;
    private int pageRows;
    private long firstOfPage;
    private boolean firstIsNotDue;
    private long last;
    private boolean pageWasAccepted;
    private final Set<String> acceptedKeys = new HashSet<>();
    private final Set<String> blockedKeysMet = new HashSet<>();

    private long acceptedBytes;
    private boolean hasAccepted;
    private boolean isClosed;
    private boolean isTruncated;
    private boolean isFullyRead;

    /**
     * @param blockedKey null for the partition itself
     * @param start the sequence after which the scan begins
     * @param maxBytes the queue's share of the batch; its first message may be larger
     */
    QueueScan(long queue, int partition, String blockedKey, long start, long maxBytes) {
        this.queue = queue;
        this.partition = partition;
        this.blockedKey = blockedKey;
        this.start = start;
        this.maxBytes = maxBytes;
        this.last = start;
    }

    long queue() {
        return queue;
    }

    int partition() {
        return partition;
    }

    /** The key whose messages wait in this queue; null for the partition itself. */
    String blockedKey() {
        return blockedKey;
    }

    boolean isBlockedKey() {
        return blockedKey != null;
    }

    /** The sequence after which the first page began. */
    long start() {
        return start;
    }

    /** Begins the next page after the last row that was read. */
    void beginPage() {
        pageStart = last;
        pageRows = 0;
        firstOfPage = Long.MAX_VALUE;
        firstIsNotDue = false;
        pageWasAccepted = false;
        acceptedKeys.clear();
        blockedKeysMet.clear();
    }

    /** The sequence after which the page begins. */
    long pageStart() {
        return pageStart;
    }

    boolean isFirstPage() {
        return pageStart == start;
    }

    /** @param accepted whether the row is in the batch */
    void add(ClaimedMessage row, boolean accepted) {
        pageRows++;
        if (pageRows == 1) {
            firstIsNotDue = !row.due();
        }
        firstOfPage = Math.min(firstOfPage, row.sequence());
        last = Math.max(last, row.sequence());
        pageWasAccepted |= accepted;
        if (row.keyBlocked()) {
            blockedKeysMet.add(row.key());
        } else if (accepted && row.key() != null) {
            acceptedKeys.add(row.key());
        }
    }

    boolean isPageEmpty() {
        return pageRows == 0;
    }

    /** The lowest sequence of the page; {@link Long#MAX_VALUE} if the page is empty. */
    long firstOfPage() {
        return firstOfPage;
    }

    boolean firstIsNotDue() {
        return firstIsNotDue;
    }

    /** Whether a row of the page is in the batch. */
    boolean pageWasAccepted() {
        return pageWasAccepted;
    }

    /** The keys with an accepted row on this page. */
    Set<String> acceptedKeys() {
        return acceptedKeys;
    }

    /** The blocked keys with messages on this page of the partition. */
    Set<String> blockedKeysMet() {
        return blockedKeysMet;
    }

    boolean isAtEnd(int pageSize) {
        return pageRows < pageSize;
    }

    /** Whether this number of bytes would exceed the queue's share; the first message never does. */
    boolean exceedsShare(int bytes) {
        return isClosed || hasAccepted && acceptedBytes + bytes > maxBytes;
    }

    void accepted(int bytes) {
        hasAccepted = true;
        acceptedBytes += bytes;
    }

    /** Whether a message of the queue was accepted. */
    boolean hasAccepted() {
        return hasAccepted;
    }

    /** Accepts no further message of this queue, since its share is used up. */
    void close() {
        isClosed = true;
        isTruncated = true;
    }

    /** Records that the full batch has left out a row. */
    void truncate() {
        isTruncated = true;
    }

    /** Records that every row was read; for a blocked key, that the claim read every due key of the partition. */
    void fullyRead() {
        isFullyRead = true;
    }

    /** Whether the queue may have rows that this scan has not offered to the batch. */
    boolean hidesRows() {
        return isTruncated || !isFullyRead;
    }
}
