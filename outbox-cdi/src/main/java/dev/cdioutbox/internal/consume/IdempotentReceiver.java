package dev.cdioutbox.internal.consume;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxUnavailableException;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.consume.Received.Place;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.inbox.JdbcInbox;
import dev.cdioutbox.internal.store.inbox.Position;
import dev.cdioutbox.internal.store.inbox.Position.Order;

/**
 * Lets each message take effect once: records its id in the transaction that does the work, which the container or
 * {@code @Transactional} began. Knows no broker; whoever has read a message from one calls it.
 */
@ApplicationScoped
public class IdempotentReceiver {
    /** The messages that this thread handles; more than one if a consumer calls another consumer. */
    private static final ThreadLocal<Deque<Handling>> CURRENT = ThreadLocal.withInitial(ArrayDeque::new);

    @Inject
    Outboxes outboxes;

    @Inject
    ConsumerListeners listeners;

    /** Tells the listeners that a consumer has got a message without an id that can be recorded. */
    public void refused(String consumer, OutboxException refusal) {
        listeners.tell(listener -> listener.failed(consumer, new ConsumedMessage(null, null, null), refusal));
    }

    /**
     * Handles a message in the transaction of the caller, unless the consumer has handled it before.
     *
     * @param outboxName the outbox that records the message; empty for the default one
     * @param consumer the name under which it is recorded
     * @param work handles the message
     * @param skipped supplies the result for a message that is not handled
     * @return the result of the work, or of {@code skipped}
     * @throws OutboxException OBX-0506 without a transaction, OBX-0515 in another one than that of an outer call, OBX-0520 or
     *     OBX-0525 if the place of the message is not certain
     */
    public <T> T receive(
            String outboxName,
            String consumer,
            Received received,
            Callable<? extends T> work,
            Supplier<? extends T> skipped)
            throws Exception {
        OutboxInstance outbox = outboxes.meant(outboxName);
        String id = received.message().id();
        TransactionSynchronizationRegistry transaction = outboxes.transactions();
        int status = transaction.getTransactionStatus();
        if (status != Status.STATUS_ACTIVE) {
            throw OutboxCode.CONSUMED_OUTSIDE_TRANSACTION.exception(consumer, id, status);
        }
        Handling handling = new Handling(outbox.name(), consumer, id, transaction.getTransactionKey());
        for (Handling outer : CURRENT.get()) {
            // A consumer called another method of itself with its message: that is no duplicate.
            if (outer.equals(handling)) {
                return work.call();
            }
            // The inner transaction would wait for the row lock of the outer one, which waits for the inner call.
            if (outer.isOf(handling)) {
                throw OutboxCode.CONSUMED_IN_OTHER_TRANSACTION.exception(consumer, id);
            }
        }
        Delivery delivery = new Delivery(consumer, received.message(), listeners);
        transaction.registerInterposedSynchronization(delivery);
        if (received.redelivered()) {
            listeners.tell(listener -> listener.redelivered(consumer, received.message()));
        }
        try {
            JdbcInbox inbox = outbox.store().inbox();
            return handle(handling, transaction, () -> record(consumer, received, inbox) ? work.call() : skipped.get());
        } catch (Throwable e) {
            delivery.failed(e);
            if (e instanceof OutboxUnavailableException) {
                PausedConsumers.notReached(outbox.name());
            }
            throw e;
        }
    }

    /**
     * Records the message, and its place in the order of its key.
     *
     * @return whether the consumer has to handle it
     */
    private boolean record(String consumer, Received received, JdbcInbox inbox) {
        ConsumedMessage message = received.message();
        if (!inbox.enter(consumer, message.id())) {
            listeners.tell(listener -> listener.skippedDuplicate(consumer, message));
            return false;
        }
        Place place = received.place();
        if (place == null) {
            return true;
        }
        String key = place.key();
        long sequence = place.sequence();
        Order order = inbox.advance(consumer, key, new Position(sequence, place.storedAt()));
        if (order == Order.SEQUENCE_BEGAN_AGAIN) {
            throw OutboxCode.SEQUENCE_BEGAN_AGAIN.exception(consumer, message.id(), key, sequence);
        }
        if (order == Order.FORGOTTEN) {
            throw OutboxCode.KEY_FORGOTTEN.exception(consumer, key, message.id(), sequence);
        }
        if (order == Order.OVERTAKEN) {
            listeners.tell(listener -> listener.skippedStale(consumer, message, key, sequence));
        }
        return order == Order.IN_ORDER;
    }

    private static <T> T handle(
            Handling handling, TransactionSynchronizationRegistry transaction, Callable<? extends T> work)
            throws Exception {
        CURRENT.get().push(handling);
        try {
            return work.call();
        } catch (Throwable e) {
            // An exception that does not roll back would commit the recorded id with half of the work.
            if (transaction.getTransactionStatus() == Status.STATUS_ACTIVE) {
                transaction.setRollbackOnly();
            }
            throw e;
        } finally {
            CURRENT.get().pop();
            if (CURRENT.get().isEmpty()) {
                CURRENT.remove();
            }
        }
    }

    private record Handling(String outbox, String consumer, String id, Object transaction) {

        boolean isOf(Handling other) {
            return outbox.equals(other.outbox) && consumer.equals(other.consumer) && id.equals(other.id);
        }
    }
}
