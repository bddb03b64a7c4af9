package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.Retry;

/** Looks on from outside, on the dispatcher's threads and after the commit. What it throws is logged and forgotten. */
public interface DispatchListener {

    /** The timer called. */
    default void ticked() {}

    /** This thread begins to work for a destination: from here on it may wait for the broker or the database. */
    default void began(String destination) {}

    /**
     * This thread has ended.
     *
     * @param failures how many of the destination's runs have failed in a row by now
     */
    default void ended(String destination, int failures) {}

    /** A claim was made; it may be empty. These partitions are this node's until they are released. */
    default void claimed(String destination, int partitions, Duration took) {}

    /** What was claimed is given back. */
    default void released(String destination, int partitions) {}

    /** These messages are settled with a shadow mark: they went elsewhere, and not to their destination. */
    default void shadowed(String destination, String shadow, List<OutboxMessage> messages) {}

    /**
     * These messages are sent and settled.
     *
     * @param at by the database's clock
     */
    default void published(String destination, List<OutboxMessage> messages, Instant at, Duration took) {}

    /**
     * This message was charged an attempt.
     *
     * @param at by the database's clock
     */
    default void charged(OutboxMessage message, Retry retry, Instant at) {}

    /** This row cannot be read and is abandoned. */
    default void unreadable(String destination, long sequence, String problem) {}

    /** This message was not sent, because its time was over. */
    default void expired(OutboxMessage message) {}

    /** This message was published, and an operator had discarded it before that was settled. */
    default void discardedTooLate(OutboxMessage message) {}

    /** A batch was rolled back; no message was charged. */
    default void failed(String destination, int messages, Throwable cause) {}

    /**
     * The commit of a batch failed without a rollback.
     *
     * @param settled so many are settled, and the broker's part is still to be ended by the transaction manager
     * @param inDoubt so many wait for their outcome, and their keys with them
     */
    default void commitIncomplete(String destination, int settled, int inDoubt) {}

    /** What a destination's messages get from now on. */
    default void guaranteeReported(DeliveryGuarantee guarantee) {}

    /** The tables were looked at. What is wrong with them, or null. */
    default void storeChecked(String problem) {}

    /** The backlog was read. */
    default void backlog(OutboxBacklog backlog) {}
}
