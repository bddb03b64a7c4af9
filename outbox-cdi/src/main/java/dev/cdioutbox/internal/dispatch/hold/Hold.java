package dev.cdioutbox.internal.dispatch.hold;

import java.util.Set;

import dev.cdioutbox.internal.dispatch.publish.DeliveryProtocol;
import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.store.claim.Reservation;
import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;

/**
 * Lets only one node at a time send to a destination with {@link DeliveryProtocol#MARKER}, and finds out what the transport has committed.
 * For the other protocols, {@link NoHold} does nothing. One thread uses a hold, for one claim:
 *
 * <pre>
 *   reservation ─► takeOverIfUncertain ─► takeOverAfterFailure ─► open ─► proveSent ─► committed ─► proveUnsent
 *                                                 ▲                                        │
 *                                                 └───── for each group of the batch ──────┘
 * </pre>
 */
public interface Hold {

    /** What the messages are sent with. */
    DestinationPublisher publisher();

    /** What the claim reserves its partitions with. */
    Reservation reservation();

    /** The claim has found messages, and no partition that other claims have left free. */
    void foundOthers();

    /** The claim has a partition, or nothing waits. */
    void foundNoOthers();

    /**
     * Takes the destination over, unless it is held already. What the claim has read is obsolete then.
     *
     * @return whether it was taken over
     */
    boolean takeOverIfUncertain() throws Exception;

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
