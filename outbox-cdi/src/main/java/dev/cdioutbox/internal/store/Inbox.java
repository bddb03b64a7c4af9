package dev.cdioutbox.internal.store;

import java.time.Duration;

/** Which messages consumers have handled. Thread-safe; each method says in which transaction it runs. */
public interface Inbox {

    /** No name of a consumer is longer. */
    int MAX_CONSUMER_LENGTH = 64;

    /** No id or key of a message is longer. */
    int MAX_ID_LENGTH = 255;

    /**
     * Notes a message in the caller's JTA transaction, whose end decides whether it was handled. While another transaction
     * handles the same message, waits for that one's end. A message that is there already leaves the transaction usable.
     *
     * @return whether the message is new to the consumer
     */
    boolean enter(String consumer, String messageId);

    /**
     * Notes in the caller's JTA transaction how far a key has come. While another transaction handles a message of the same
     * key, waits for that one's end.
     *
     * @return whether nothing later of the key was handled before
     */
    boolean advance(String consumer, String key, long sequence);

    /**
     * Forgets what was handled longer ago, in a transaction of its own and not in a JTA one.
     *
     * @param limit how many messages and how many keys at most
     * @return how many were forgotten; if fewer than the limit, there are no more
     */
    int sweep(Duration olderThan, int limit);
}
