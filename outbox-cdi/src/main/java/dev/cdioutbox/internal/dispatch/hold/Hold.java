package dev.cdioutbox.internal.dispatch.hold;

import java.util.Set;

import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;

/**
 * Lets only one node at a time send to a destination with {@link Way#MARKER}, and finds out what the transport has committed.
 * For the other ways, {@link NoHold} does nothing. One thread uses a hold, for one claim:
 *
 * <pre>
 *   takeOverIfUncertain ─► takeOverAfterFailure ─► open ─► noteBatch ─► committed ─► ensureHeld
 *                                  ▲                                        │
 *                                  └───── for each group of the batch ──────┘
 * </pre>
 */
public interface Hold {

    /** How the batch is sent and settled. */
    Way way();

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

    /** Notes the number of the batch, in the transaction of its settlement. */
    void noteBatch();

    /**
     * The transaction of a separate settlement is committed.
     *
     * @param noted whether it has noted the number of the batch
     */
    void committed(boolean noted);

    /** Fails if another node has taken the destination over, and may have sent what this one is about to charge. */
    void ensureHeld();
}
