package dev.cdioutbox.internal.store.settle;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Tells what has become of messages that a transaction has settled or tried to settle. A row that is {@link #pending} but not
 * {@link #lockable} is in doubt: another transaction holds it. Each call runs on a separate connection outside of JTA.
 * Thread-safe.
 */
public interface PendingRows {

    /**
     * Finds the rows that are pending and not locked by another transaction. Leaves out rows that were settled since the read: a
     * delivery in doubt may have been committed meanwhile. Keeps no locks.
     */
    Set<Long> lockable(Collection<Long> sequences);

    /**
     * The rows that are pending in the committed state. Ask for the lockable ones first: otherwise a row whose transaction ends in
     * between would seem to be in doubt.
     */
    Set<Long> pending(Collection<Long> sequences);

    /**
     * The same with the ids of their messages, by sequence: a restored database gives a sequence to another message. The id is null
     * if the message itself is gone.
     */
    Map<Long, UUID> pendingIds(Collection<Long> sequences);

    /**
     * Sets the number of unfinished sends of a waiting message, and commits. An operator who retries the message sets it to 0. For a message that may crash
     * its process: the count must be committed before the send.
     *
     * @return whether the message still waits
     */
    boolean countUnfinishedSend(long sequence, int count);
}
