package dev.cdioutbox.internal.store;

import java.util.HashSet;
import java.util.Set;

/** Maintenance that a claim has to do before messages can be read. Belongs to one claim. */
final class QueueMaintenance {
    /** Due blocked keys without messages. */
    final Set<Long> emptyKeys = new HashSet<>();

    /** Due blocked keys whose first message is not due. */
    final Set<Long> notYetDue = new HashSet<>();

    /** Partitions with messages of blocked keys. */
    final Set<Integer> partitionsToClear = new HashSet<>();

    /** Those of them in which no message could be moved, since the rows are locked. */
    final Set<Integer> lockedPartitions = new HashSet<>();

    /** Those of them in which messages were moved. */
    Set<Integer> clearedPartitions() {
        Set<Integer> cleared = new HashSet<>(partitionsToClear);
        cleared.removeAll(lockedPartitions);
        return cleared;
    }

    boolean isEmpty() {
        return emptyKeys.isEmpty() && notYetDue.isEmpty() && partitionsToClear.isEmpty();
    }
}
