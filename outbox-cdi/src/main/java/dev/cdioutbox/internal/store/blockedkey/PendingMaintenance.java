package dev.cdioutbox.internal.store.blockedkey;

import java.util.HashSet;
import java.util.Set;

/** The maintenance that a claim has to do before it reads messages. Belongs to one claim. */
public final class PendingMaintenance {
    /** Due blocked keys without messages. */
    public final Set<Long> emptyKeys = new HashSet<>();

    /** Due blocked keys whose first message is not due. */
    public final Set<Long> notYetDue = new HashSet<>();

    /** Partitions with messages of blocked keys. */
    public final Set<Integer> partitionsToClear = new HashSet<>();

    /** Partitions to clear in which no message could be moved, since the rows are locked. */
    public final Set<Integer> lockedPartitions = new HashSet<>();

    public boolean isEmpty() {
        return emptyKeys.isEmpty() && notYetDue.isEmpty() && partitionsToClear.isEmpty();
    }
}
