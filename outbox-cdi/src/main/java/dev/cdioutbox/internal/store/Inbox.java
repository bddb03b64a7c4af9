package dev.cdioutbox.internal.store;

import java.time.Duration;
import java.time.Instant;

/** Records the messages that consumers have handled. Thread-safe; each method says in which transaction it runs. */
public interface Inbox {

    /** The maximum length of a consumer's name, in characters. */
    int MAX_CONSUMER_LENGTH = 64;

    /** The maximum length of a message's id or key, in characters. */
    int MAX_ID_LENGTH = 255;

    /**
     * Records a message in the caller's JTA transaction. Waits while another transaction handles the same message. The
     * transaction stays usable if the message is already recorded.
     *
     * @return whether the message is new to the consumer
     */
    boolean enter(String consumer, String messageId);

    /**
     * Records the last message of a key in the caller's JTA transaction, unless a message with a higher sequence was
     * handled before. Waits while another transaction handles a message of the same key.
     */
    Order advance(String consumer, String key, Position position);

    /**
     * Deletes older records, in a separate transaction outside of JTA.
     *
     * @param limit the highest number of messages, and of keys
     * @return the number of deleted records; if lower than the limit, there are no more
     */
    int sweep(Duration olderThan, int limit);

    /** How a message follows the last one of its key. */
    enum Order {
        /** It is later, or the same. */
        IN_ORDER,
        /** The consumer has handled a later message. */
        OVERTAKEN,
        /** It is later, although its sequence is lower: the producer's sequence has begun again. */
        SEQUENCE_BEGAN_AGAIN
    }

    /**
     * The place of a message among those of its key.
     *
     * @param occurredAt the time of the event by the clock of its node; null if unknown
     */
    record Position(long sequence, Instant occurredAt) {
        /**
         * An event gets its time when it is fired, and its sequence when its transaction writes it. So a message with a
         * lower sequence may be the younger one by the length of a transaction, for which Liberty allows two minutes by
         * default. The clocks of nodes differ by less.
         */
        private static final Duration LONGEST_TRANSACTION = Duration.ofMinutes(2);

        public Order after(Position last) {
            if (sequence >= last.sequence) {
                return Order.IN_ORDER;
            }
            boolean isYounger = occurredAt != null
                    && last.occurredAt != null
                    && occurredAt.isAfter(last.occurredAt.plus(LONGEST_TRANSACTION));
            return isYounger ? Order.SEQUENCE_BEGAN_AGAIN : Order.OVERTAKEN;
        }
    }
}
