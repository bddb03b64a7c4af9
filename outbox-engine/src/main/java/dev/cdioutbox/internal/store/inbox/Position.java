package dev.cdioutbox.internal.store.inbox;

import java.time.Duration;
import java.time.Instant;

/**
 * The place of a message among those of its key.
 *
 * @param storedAt when the message was stored, by the clock of its database; null if unknown
 */
public record Position(long sequence, Instant storedAt) {
    /**
     * One statement of one database gives a message its sequence and this time. So a message with a lower sequence and a
     * later time has got both after the sequence began again, unless the clock was set back, which it is by less than this.
     */
    private static final Duration CLOCK_STEP = Duration.ofMinutes(2);

    public Order after(Position last) {
        if (sequence >= last.sequence) {
            return Order.IN_ORDER;
        }
        boolean isYounger =
                storedAt != null && last.storedAt != null && storedAt.isAfter(last.storedAt.plus(CLOCK_STEP));
        return isYounger ? Order.SEQUENCE_BEGAN_AGAIN : Order.OVERTAKEN;
    }

    /** How a message follows the last one of its key. */
    public enum Order {
        /** It is later, or the same. */
        IN_ORDER,
        /** The consumer has handled a later message. */
        OVERTAKEN,
        /** It was stored later, although its sequence is lower: the producer's sequence has begun again. */
        SEQUENCE_BEGAN_AGAIN,
        /** The consumer knows nothing of the key, and has forgotten messages with higher sequences. */
        FORGOTTEN
    }
}
