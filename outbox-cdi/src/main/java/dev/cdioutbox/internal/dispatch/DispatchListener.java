package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.List;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.Retry;

/** Looks on from outside, on the dispatcher's threads and after the commit. What it throws is logged and forgotten. */
public interface DispatchListener {

    /** The timer called. */
    default void ticked() {}

    /** A claim was made; it may be empty. */
    default void claimed(String destination, Duration took) {}

    /** These messages are sent and settled. */
    default void published(String destination, List<OutboxMessage> messages, Duration took) {}

    /** This message was charged an attempt. */
    default void charged(OutboxMessage message, Retry retry) {}

    /** This message was not sent, because its time was over. */
    default void expired(OutboxMessage message) {}

    /** A batch was rolled back; nobody was charged. */
    default void failed(String destination, int messages, Throwable cause) {}

    /**
     * The commit of a batch failed without a rollback.
     *
     * @param settled so many are settled, and the broker's part is still to be ended by the transaction manager
     * @param inDoubt so many wait for their outcome, and their keys with them
     */
    default void unclear(String destination, int settled, int inDoubt) {}

    /** What a destination's messages get from now on. */
    default void guaranteed(DeliveryGuarantee guarantee) {}

    /** The backlog was read. */
    default void backlog(OutboxBacklog backlog) {}
}
