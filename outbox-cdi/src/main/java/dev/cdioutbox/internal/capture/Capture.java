package dev.cdioutbox.internal.capture;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import jakarta.transaction.Status;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.internal.capture.event.EventType;
import dev.cdioutbox.internal.capture.message.MessageFactory;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.outbox.CaptureListeners;
import dev.cdioutbox.internal.outbox.LazyStore;
import dev.cdioutbox.internal.store.NewMessage;

/**
 * Adds the fired events of one outbox to their transaction. A failure marks the transaction for rollback, and the
 * caller of {@code fire()} gets the exception.
 */
public final class Capture {
    /** A sixth of the heap. The insert needs two times as much again: together half of the heap. */
    private static final long MAX_TRANSACTION_BYTES = Runtime.getRuntime().maxMemory() / 6;

    private final MessageFactory factory;
    private final TransactionSynchronizationRegistry registry;
    private final LazyStore lazyStore;
    private final CaptureListeners listeners;
    private final Optional<Consumer<Runnable>> ownTransaction;

    /**
     * @param ownTransaction runs work in a new JTA transaction; empty if the configuration refuses events outside of a
     *     transaction
     */
    Capture(
            MessageFactory factory,
            TransactionSynchronizationRegistry registry,
            LazyStore lazyStore,
            CaptureListeners listeners,
            Optional<Consumer<Runnable>> ownTransaction) {
        this.factory = factory;
        this.registry = registry;
        this.lazyStore = lazyStore;
        this.listeners = listeners;
        this.ownTransaction = ownTransaction;
    }

    /** Adds the messages of a fired outbox event to the current transaction. */
    void capture(EventType type, Object event) {
        int status = registry.getTransactionStatus();
        if (status == Status.STATUS_NO_TRANSACTION) {
            captureInOwnTransaction(type, event);
        } else {
            captureInTransaction(type, event, status);
        }
    }

    private void captureInOwnTransaction(EventType type, Object event) {
        ownTransaction
                .orElseThrow(() -> OutboxCode.OUTSIDE_TRANSACTION.exception(
                        event.getClass().getName()))
                .accept(() -> captureInTransaction(type, event, registry.getTransactionStatus()));
    }

    private void captureInTransaction(EventType type, Object event, int status) {
        requireActive(event, status);
        try {
            requireOpenStore(event);
            List<NewMessage> messages = factory.messages(type, event);
            // Get the buffer after the enrichers: one of them may have ended the transaction and begun another.
            buffer().add(messages);
        } catch (RuntimeException | Error e) {
            registry.setRollbackOnly();
            throw e;
        }
    }

    private static void requireActive(Object event, int status) {
        if (status == Status.STATUS_MARKED_ROLLBACK) {
            throw OutboxCode.ROLLBACK_ONLY.exception(event.getClass().getName());
        }
        if (status != Status.STATUS_ACTIVE) {
            throw OutboxCode.TRANSACTION_ENDED.exception(event.getClass().getName(), status);
        }
    }

    /** Refuses the event here and not at the commit, whose caller may not see why it failed. */
    private void requireOpenStore(Object event) {
        String closed = lazyStore.whyClosed();
        if (closed != null) {
            throw OutboxCode.STORE_CLOSED.exception(event.getClass().getName(), closed);
        }
    }

    private TransactionBuffer buffer() {
        if (registry.getResource(this) instanceof TransactionBuffer buffer) {
            return buffer;
        }
        TransactionBuffer buffer =
                new TransactionBuffer(registry, lazyStore.get().capture(), MAX_TRANSACTION_BYTES, listeners::captured);
        registry.putResource(this, buffer);
        return buffer;
    }

    /** The transaction is about to complete. */
    void writeAfterFlush() {
        if (registry.getTransactionStatus() == Status.STATUS_ACTIVE
                && registry.getResource(this) instanceof TransactionBuffer buffer) {
            buffer.writeAfterFlush();
        }
    }
}
