package dev.cdioutbox.internal.dispatch.worker;

import dev.cdioutbox.internal.store.Claim.PartitionRange;

/**
 * The range of partitions in which the threads of one worker look next, and the number of threads that take such ranges.
 * A thread may leave a range to the others: one of them takes it. Thread-safe.
 */
public final class NextRange {
    private PartitionRange range = PartitionRange.NONE;
    private int threads;

    public synchronized void add(PartitionRange more) {
        range = range.and(more);
    }

    /** Takes the whole range: {@link PartitionRange#NONE} if no thread has added any. */
    public synchronized PartitionRange take() {
        PartitionRange taken = range;
        range = PartitionRange.NONE;
        return taken;
    }

    /** Adds the calling thread to those that take ranges. */
    public synchronized void join() {
        threads++;
    }

    /** Removes the calling thread. */
    public synchronized void leave() {
        threads--;
    }

    /**
     * Removes the calling thread, unless it is the last one and a range is left. Both in one step: otherwise two threads could
     * leave the range to each other.
     *
     * @return whether the thread was removed
     */
    public synchronized boolean leaveIfNotNeeded() {
        boolean isNeeded = threads == 1 && !range.equals(PartitionRange.NONE);
        threads -= isNeeded ? 0 : 1;
        return !isNeeded;
    }
}
