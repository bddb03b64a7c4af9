package dev.cdioutbox.internal.store.settle;

import java.util.Set;

import dev.cdioutbox.internal.store.ColumnText;

/** Settles batches, in the caller's JTA transaction. Thread-safe. */
public interface SettlementStore {

    /**
     * Settles messages that were sent. In the same transaction, the claim has {@linkplain
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

    /** Makes a text of any origin one that the tables take. */
    ColumnText columnText();
}
