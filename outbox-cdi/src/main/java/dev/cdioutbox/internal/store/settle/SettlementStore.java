package dev.cdioutbox.internal.store.settle;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import dev.cdioutbox.internal.store.ColumnText;
import dev.cdioutbox.internal.store.SentSettlement;
import dev.cdioutbox.internal.store.UnsentSettlement;

/** Settles batches, and tells which messages are settled or in doubt. Thread-safe. */
public interface SettlementStore {

    /**
     * Settles messages that were sent, in the caller's JTA transaction, in which the claim has {@linkplain
     * dev.cdioutbox.internal.store.claim.Reservation#prove proven} that it still has their partitions.
     *
     * @return the messages that an operator had discarded before the send ended; they are published nevertheless
     * @throws dev.cdioutbox.OutboxException OBX-0305 if another process has changed rows since the claim
     */
    Set<Long> settleSent(SentSettlement sent);

    /**
     * The same for messages that were not sent.
     *
     * @return the messages that stay as they are, because an operator has changed them since the claim
     */
    Set<Long> settleUnsent(UnsentSettlement unsent);

    /**
     * Finds the rows that are pending and not locked by another transaction. Leaves out rows that were settled since
     * the read: a delivery in doubt may have been committed meanwhile. Uses a separate connection outside of JTA, and
     * keeps no locks.
     */
    Set<Long> lockable(Collection<Long> sequences);

    /**
     * The rows that are pending in the committed state. Those that are not {@link #lockable} are held by another transaction.
     * Ask for the lockable ones first: otherwise a row whose transaction ends in between would seem to be in doubt. Runs
     * outside of JTA.
     */
    Set<Long> pending(Collection<Long> sequences);

    /** The same with the ids of their messages, by sequence: a restored database gives a sequence to another message. */
    Map<Long, UUID> pendingIds(Collection<Long> sequences);

    /**
     * Sets the number of unfinished sends of a waiting message, in a separate transaction outside of JTA. A retry sets it to
     * 0. For a message that may crash its process: the count must be committed before the send.
     *
     * @return whether the message still waits
     */
    boolean countUnfinishedSend(long sequence, int count);

    /** Makes a text of any origin one that the tables take. */
    ColumnText columnText();
}
