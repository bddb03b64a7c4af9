package dev.cdioutbox.internal.store.claim;

import java.util.HashSet;
import java.util.Set;

import dev.cdioutbox.internal.problem.Problem;

/**
 * The scan of one queue by one claim, in the order of sequences. A queue is a partition or a blocked key.
 */
final class QueueScan {
    final long queue;
    final int partition;
    /** The sequence after which the pages begin. */
    final long start;

    /** The queue's share of the batch in bytes; its first message may be larger. */
    private final long share;

    private final Set<String> skippedKeys = new HashSet<>();
    private long acceptedBytes;
    private long lastSequence;
    private int pageSize;
    private int pageRows;

    boolean firstIsNotDue;
    /** Whether a row of the page is in the batch. */
    boolean pageWasAccepted;

    /** Whether a row of the page is in the partition although its key is blocked. */
    boolean metBlockedKey;

    QueueScan(long queue, int partition, long start, long share) {
        this.queue = queue;
        this.partition = partition;
        this.start = start;
        this.share = share;
    }

    /** Accepts no further message of this key; ignores null. */
    void skip(String key) {
        if (key != null) {
            skippedKeys.add(key);
        }
    }

    boolean skips(String key) {
        return key != null && skippedKeys.contains(key);
    }

    /** Whether this number of bytes would exceed the queue's share; the first message never does. */
    boolean exceedsShare(int bytes) {
        return acceptedBytes > 0 && acceptedBytes + bytes > share;
    }

    void addAccepted(int bytes) {
        acceptedBytes += bytes;
    }

    boolean isBlockedKey() {
        return queue != partition;
    }

    void beginPage(int size) {
        pageSize = size;
        pageRows = 0;
        lastSequence = start;
        firstIsNotDue = false;
        pageWasAccepted = false;
        metBlockedKey = false;
    }

    boolean isPageEmpty() {
        return pageRows == 0;
    }

    /** Whether the last page had the last row of the queue. */
    boolean isAtEnd() {
        return pageRows < pageSize;
    }

    /**
     * Checks the order of the rows of a page. The order of a batch rests on the order in which the database returns the
     * parts of a union, each with its own order.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0326 if the row has no higher sequence than the one before it
     */
    void requireNext(long sequence, String destination) {
        if (sequence <= lastSequence) {
            throw Problem.ROWS_OUT_OF_ORDER.exception(destination, sequence, lastSequence, queue);
        }
        lastSequence = sequence;
    }

    /** @param accepted whether the row is in the batch */
    void add(Batch.Row row, boolean accepted) {
        pageRows++;
        if (pageRows == 1) {
            firstIsNotDue = !row.due();
        }
        pageWasAccepted |= accepted;
        metBlockedKey |= row.keyBlocked();
    }
}
