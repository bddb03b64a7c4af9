package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Instant;

import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Decides whether a failed message is given up. A pure function of what is known of the message and its destination.
 *
 * <pre>
 * the message                                    its destination            verdict
 * --------------------------------------------   ------------------------   -------
 * can never be sent, as the publisher says                                  ABANDON
 * has attempts left                                                         RETRY
 * has none left, and its followers wait for it                              ABANDON
 * has none left, and is skipped                  is known to work           ABANDON
 * has none left, and is skipped                  may be at fault itself     HOLD
 * </pre>
 *
 * <p>{@link HeldMessages} tells what holding a message is for, and what ends it.
 */
final class AbandonPolicy {
    private AbandonPolicy() {}

    /** What becomes of a failed message. */
    enum Verdict {
        /** It is charged, and tried again. */
        RETRY,
        /** It is charged, and given up. */
        ABANDON,
        /** It is not charged, stays one attempt below the limit, and is tried again after the longest delay. */
        HOLD
    }

    /**
     * What is known of a failed message.
     *
     * @param isLastAttempt whether no attempt is left after this one
     * @param isSkipped whether later messages of its key are sent once it is abandoned; true without a key
     * @param destinationWorks see {@link #works}
     */
    record Evidence(Blame blame, boolean isLastAttempt, boolean isSkipped, boolean destinationWorks) {}

    static Verdict of(Evidence evidence) {
        if (evidence.blame() == Blame.MESSAGE) {
            return Verdict.ABANDON;
        }
        if (!evidence.isLastAttempt()) {
            return Verdict.RETRY;
        }
        return evidence.isSkipped() && !evidence.destinationWorks() ? Verdict.HOLD : Verdict.ABANDON;
    }

    /**
     * Whether a destination is known to work: since the last failure of the message, this node has delivered another one there,
     * perhaps in this attempt. All times are the database's. What other nodes have delivered is not known, and no proof.
     *
     * @param lastDelivery the last commit of a delivery; null if there was none
     * @param lastFailure the failure before this attempt; null if there was none
     * @param begin when this attempt began
     */
    static boolean works(Instant lastDelivery, Instant lastFailure, Instant begin) {
        return lastDelivery != null && lastDelivery.isAfter(lastFailure == null ? begin : lastFailure);
    }
}
