package dev.cdioutbox.internal.consume;

import java.util.Collection;

/** Receives notifications about idempotent consumers. */
public interface ConsumerListener {

    /** The application has a consumer of this name. */
    default void begins(String consumer) {}

    /** The broker delivered a message that it had delivered before. */
    default void redelivered(String consumer, ConsumedMessage message) {}

    /**
     * A delivery took no effect: its transaction was rolled back, or the message was refused.
     *
     * @param message its id is null if it has none
     * @param cause null if the consumer threw no exception
     */
    default void failed(String consumer, ConsumedMessage message, Throwable cause) {}

    /**
     * An operator has erased messages. What a listener has in memory of their contents, such as the text of a failure, has to go.
     *
     * @param messages their ids
     */
    default void erased(Collection<String> messages) {}

    /** The consumer skipped a message that it had handled before. */
    default void skippedDuplicate(String consumer, ConsumedMessage message) {}

    /** The consumer skipped a message because it had handled a later one of the same key. */
    default void skippedStale(String consumer, ConsumedMessage message, String key, long sequence) {}
}
