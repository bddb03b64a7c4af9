package dev.cdioutbox.internal.store;

import java.util.HashSet;
import java.util.Set;

/** What a claim met that it has to put in order before it, or another one, can go on. Belongs to one claim. */
final class QueueMaintenance {
    /** Blocked keys that are due and have nothing behind them. */
    final Set<Long> emptyKeys = new HashSet<>();

    /** Blocked keys that are due though the first message behind them is not. */
    final Set<Long> notYetDue = new HashSet<>();

    /** Partitions with messages that belong in the queue of the blocked key of their key. */
    final Set<Integer> partitionsToClear = new HashSet<>();

    /** Those of them of which nothing could be moved, since others hold it. */
    final Set<Integer> lockedPartitions = new HashSet<>();

    /** Those of them of which something was moved. */
    Set<Integer> clearedPartitions() {
        Set<Integer> cleared = new HashSet<>(partitionsToClear);
        cleared.removeAll(lockedPartitions);
        return cleared;
    }

    boolean isEmpty() {
        return emptyKeys.isEmpty() && notYetDue.isEmpty() && partitionsToClear.isEmpty();
    }
}
