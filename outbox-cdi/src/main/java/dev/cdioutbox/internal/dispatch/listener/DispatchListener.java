package dev.cdioutbox.internal.dispatch.listener;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.Retry;

/**
 * Observes dispatch. Called on the dispatcher's threads, after the commit. Exceptions of listeners are logged and
 * ignored. A listener serves several outboxes: it gets destinations by their labels, as in logs and metrics. A message
 * has the name that its destination has in its outbox.
 */
public interface DispatchListener {

    /** The housekeeping timer called. */
    default void ticked() {}

    /** This thread begins to work for a destination: it may wait for the broker or the database from now on. */
    default void began(String destination) {}

    /**
     * This thread has ended its work.
     *
     * @param failures how many of the destination's runs have failed in a row
     */
    default void ended(String destination, int failures) {}

    /** A run has failed. {@link #ended} follows. */
    default void runFailed(String destination, Throwable cause) {}

    /** A claim was made; it may be empty. This node holds the partitions until they are released. */
    default void claimed(String destination, int partitions, Duration took) {}

    /** A claim was released. */
    default void released(String destination, int partitions) {}

    /** These messages were sent to the shadow destination instead of their own, and settled with a mark. */
    default void shadowed(String destination, String shadow, List<OutboxMessage> messages) {}

    /**
     * These messages were sent and settled.
     *
     * @param at by the database's clock
     */
    default void published(String destination, List<OutboxMessage> messages, Instant at, Duration took) {}

    /**
     * This message was charged an attempt.
     *
     * @param at by the database's clock
     */
    default void charged(String destination, OutboxMessage message, Retry retry, Instant at) {}

    /** This row cannot be read, and was abandoned. */
    default void unreadable(String destination, long sequence, String problem) {}

    /** This message was not sent, since its time to live was over. */
    default void expired(String destination, OutboxMessage message) {}

    /** This message was published although an operator had discarded it before it was settled. */
    default void discardedTooLate(String destination, OutboxMessage message) {}

    /** A delivery failed through no fault of a message. The rest of the batch, at most so many messages, stays pending. */
    default void failed(String destination, int messages, Throwable cause) {}

    /**
     * The commit of a batch failed without a rollback.
     *
     * @param settled how many messages are settled while the transaction manager still has to complete the broker's
     *     branch
     * @param inDoubt how many messages, with their keys, wait for the outcome
     */
    default void commitIncomplete(String destination, int settled, int inDoubt) {}

    /**
     * The rows of a destination that this node found in doubt were checked again. Called as long as there are any, and
     * once when there are none any more.
     *
     * @param messages how many are still in doubt; counting stops at some hundreds
     * @param longest for how long the first of them has been known to be
     */
    default void inDoubt(String destination, int messages, Duration longest) {}

    /** The delivery guarantee of a destination from now on. */
    default void guaranteeReported(GuaranteeReport guarantee) {}

    /** The tables of an outbox were checked. The problem is null if there is none. */
    default void storeChecked(String outbox, String problem) {}

    /**
     * The rows of the nodes of an outbox were read.
     *
     * @param modules the names of other modules that dispatch the same messages at this moment; usually empty
     */
    default void sharedWith(String outbox, Set<String> modules) {}

    /** The backlog of an outbox was read. */
    default void backlog(String outbox, OutboxBacklog backlog) {}
}
