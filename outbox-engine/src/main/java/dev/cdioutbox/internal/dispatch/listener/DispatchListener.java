package dev.cdioutbox.internal.dispatch.listener;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.store.HeldUpKeys;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.operate.OutboxBacklog;
import dev.cdioutbox.spi.DestinationId;

/**
 * Observes dispatch. The dispatcher calls a listener on its threads, after the commit, and logs and ignores exceptions.
 * A listener may serve several outboxes.
 */
public interface DispatchListener {

    /** The housekeeping timer called. */
    default void ticked() {}

    /** This thread begins to work for a destination: it may wait for the broker or the database from now on. */
    default void began(DestinationId destination) {}

    /** This thread has ended its work. */
    default void ended(DestinationId destination) {}

    /**
     * A run has failed. Comes in order with {@link #recovered}, under a lock of the worker, so the listener must not wait.
     *
     * @param failures the number of consecutive failed runs, with this one
     */
    default void runFailed(DestinationId destination, int failures, Throwable cause) {}

    /** A run has succeeded, after this number of failed ones. */
    default void recovered(DestinationId destination, int failures) {}

    /** Partitions were claimed, perhaps none. This node holds them until {@link #released}. */
    default void claimed(DestinationId destination, int partitions, Duration took) {}

    /** A claim was released. */
    default void released(DestinationId destination, int partitions) {}

    /** The shadow destination got these messages, and the settlement marked them. */
    default void shadowed(DestinationId destination, String shadow, List<OutboxMessage> messages) {}

    /**
     * These messages were sent and settled.
     *
     * @param at the time, by the database's clock
     */
    default void published(DestinationId destination, List<OutboxMessage> messages, Instant at, Duration took) {}

    /**
     * This message was charged an attempt, unless the retry is held.
     *
     * @param at the time, by the database's clock
     * @param cause why the attempt failed
     */
    default void charged(DestinationId destination, OutboxMessage message, Retry retry, Instant at, Throwable cause) {}

    /** A claim was not made, because the destination's rate allows none yet. Messages may be waiting. */
    default void heldBack(DestinationId destination) {}

    /**
     * This destination may be at fault, so that a message without attempts left was not given up.
     *
     * @param isOver whether another message was delivered there since, or the next attempt is overdue on this node
     */
    default void held(DestinationId destination, Finding finding, BooleanSupplier isOver) {}

    /** This row is unreadable, and was abandoned. */
    default void unreadable(DestinationId destination, long sequence, String problem) {}

    /** This message was not sent, since its time to live was over. */
    default void expired(DestinationId destination, OutboxMessage message) {}

    /** The settlement stored these copies for the dead-letter destination. */
    default void deadLettered(DestinationId destination, List<NewMessage> copies) {}

    /** This message was published although an operator had discarded it before it was settled. */
    default void discardedTooLate(DestinationId destination, OutboxMessage message) {}

    /**
     * A delivery failed, and no message is to blame. The rest of the batch, at most this number of messages, stays
     * pending.
     */
    default void failed(DestinationId destination, int messages, Throwable cause) {}

    /**
     * The commit of a batch failed without a rollback.
     *
     * @param settled the number of settled messages; the transaction manager still has to complete the broker's branch
     * @param inDoubt the number of messages that wait, with their keys, for the outcome
     */
    default void commitIncomplete(DestinationId destination, int settled, int inDoubt) {}

    /**
     * The dispatcher has checked the in-doubt rows of a destination again. The dispatcher calls this as long as there
     * are such rows, and once when there are none any more.
     *
     * @param messages the number of messages still in doubt; counting stops at some hundreds
     * @param longest the time since this node found the first of them
     */
    default void inDoubt(DestinationId destination, int messages, Duration longest) {}

    /** The keys of the messages in doubt were counted. The dispatcher calls this after {@link #inDoubt}, while there are some. */
    default void keysInDoubt(DestinationId destination, HeldUpKeys keys) {}

    /** The delivery guarantee of a destination from now on. */
    default void guaranteeReported(DestinationId destination, GuaranteeReport guarantee) {}

    /** The tables of an outbox were checked. The problem is null if there is none. */
    default void storeChecked(String outbox, String problem) {}

    /** The slot by which change data capture sends the messages of these destinations was read. */
    default void slotRead(String outbox, List<DestinationId> destinations, SlotReading slot) {}

    /** The backlog of an outbox was read. */
    default void backlog(String outbox, OutboxBacklog backlog) {}

    /** The blocked keys of an outbox were counted, by the names of the destinations that have some. */
    default void keysBlocked(String outbox, Map<String, HeldUpKeys> keys) {}
}
