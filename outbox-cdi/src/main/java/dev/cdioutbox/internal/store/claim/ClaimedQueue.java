package dev.cdioutbox.internal.store.claim;

/**
 * A queue that a claim reads: a partition, or a due blocked key of a partition.
 *
 * @param id the {@code queue_id} of its rows
 * @param after the sequence after which it is read
 * @param share the queue's part of the batch in bytes; its first message may be larger
 * @param followersRead after so many rows, the claim reads no further behind followers of blocked keys
 */
record ClaimedQueue(long id, int partition, long after, long share, int followersRead) {

    boolean isBlockedKey() {
        return id != partition;
    }
}
