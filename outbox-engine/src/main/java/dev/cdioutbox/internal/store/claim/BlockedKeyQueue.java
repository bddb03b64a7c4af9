package dev.cdioutbox.internal.store.claim;

/** The queue of a due blocked key, whose messages are all of this key. */
final class BlockedKeyQueue extends Queue {
    private final long partition;
    private boolean beginsLater;

    /** @param share the queue's part of the batch in bytes; its first message may be larger */
    BlockedKeyQueue(long id, long partition, long share) {
        super(id, 0, share);
        this.partition = partition;
    }

    @Override
    long partition() {
        return partition;
    }

    @Override
    void beginPage(int size) {
        super.beginPage(size);
        beginsLater = false;
    }

    @Override
    void leaveOut(Row row) {
        beginsLater |= isEmpty() && !row.due();
        super.leaveOut(row);
    }

    /** The rows behind one that waits are of the same key, and wait as well. */
    @Override
    boolean hidesRows() {
        return false;
    }

    @Override
    boolean needsFollower(int lastAttempt) {
        return !isEmpty() && hasAcceptedAll() && accepted().stream().allMatch(row -> row.hasFailed(lastAttempt));
    }

    /** Whether the batch has all messages of the key. */
    boolean isInBatch() {
        return isAtEnd() && hasAcceptedAll();
    }

    /** Whether the first message of the key is not due. */
    boolean beginsLater() {
        return beginsLater;
    }
}
