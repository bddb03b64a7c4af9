package dev.cdioutbox.internal.store;

import java.time.Duration;

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
     * Records the last sequence of a key in the caller's JTA transaction. Waits while another transaction handles a
     * message of the same key.
     *
     * @return whether no later message of the key was handled before
     */
    boolean advance(String consumer, String key, long sequence);

    /**
     * Deletes older records, in a separate transaction outside of JTA.
     *
     * @param limit the highest number of messages, and of keys
     * @return the number of deleted records; if lower than the limit, there are no more
     */
    int sweep(Duration olderThan, int limit);
}
