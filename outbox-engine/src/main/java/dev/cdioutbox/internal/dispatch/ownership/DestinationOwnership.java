package dev.cdioutbox.internal.dispatch.ownership;

import java.util.List;
import java.util.Set;

import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.store.claim.PartitionRange;
import dev.cdioutbox.internal.store.claim.Reservation;
import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;

/**
 * Whether this node owns a destination as a whole while it sends, or shares it with other nodes and threads: how the claim
 * reserves partitions, and what proves at each settlement that it has them still. One thread uses it, for one claim:
 *
 * <pre>
 *   reservation ─► open ─► proveSent ─► committed ─► proveUnsent
 *                   ▲                       │
 *                   └ takeOverAfterFailure ◄┘ for each further attempt of a batch
 * </pre>
 */
public interface DestinationOwnership {

    /** What the messages are sent with. */
    DestinationPublisher publisher();

    /** What the claim reserves its partitions with. */
    Reservation reservation();

    /** Nothing waits in the whole destination, so nothing is claimed. */
    void nothingWaits();

    /**
     * Where messages may wait that other claims have found taken meanwhile.
     *
     * @param partitions those of the claim
     */
    PartitionRange released(List<Long> partitions);

    /**
     * Takes the destination over if a failure has left it in doubt.
     *
     * @return the messages that were committed before that failure, and are settled now
     */
    Set<Long> takeOverAfterFailure() throws Exception;

    /** Opens the sender of the next messages. */
    Sender open() throws PublishException;

    /**
     * Proves that the claim was not lost and, with a marker, notes the number of the batch, in the transaction of its settlement.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0312 or OBX-0445 if the claim was lost
     */
    void proveSent();

    /**
     * The transaction of a separate settlement is committed.
     *
     * @param noted whether it has noted the number of the batch
     */
    void committed(boolean noted);

    /**
     * Proves that the claim was not lost, in the transaction of a settlement without a batch. Another node may have sent what
     * this one is about to charge.
     *
     * @throws dev.cdioutbox.OutboxException as {@link #proveSent}
     */
    void proveUnsent();
}
