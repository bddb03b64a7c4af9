package dev.cdioutbox.internal.capture;

import java.util.List;
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
    private final Consumer<Runnable> ownTransaction;

    /**
     * @param ownTransaction runs work in a new JTA transaction; null if the configuration refuses events outside of a
     *     transaction
     */
    Capture(
            MessageFactory factory,
            TransactionSynchronizationRegistry registry,
            LazyStore lazyStore,
            CaptureListeners listeners,
            Consumer<Runnable> ownTransaction) {
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
            noteOutside(type, event);
        } else {
            noteInside(type, event, status);
        }
    }

    /** The transaction is about to complete: from now on the buffer writes after every flush. */
    void writeAfterFlush() {
        if (registry.getTransactionStatus() == Status.STATUS_ACTIVE
                && registry.getResource(this) instanceof TransactionBuffer buffer) {
            buffer.writeAfterFlush();
        }
    }

    private void noteOutside(EventType type, Object event) {
        if (ownTransaction == null) {
            throw OutboxCode.OUTSIDE_TRANSACTION.exception(event.getClass().getName());
        }
        ownTransaction.accept(() -> noteInside(type, event, registry.getTransactionStatus()));
    }

    private void noteInside(EventType type, Object event, int status) {
        String name = event.getClass().getName();
        if (status == Status.STATUS_MARKED_ROLLBACK) {
            throw OutboxCode.ROLLBACK_ONLY.exception(name);
        }
        if (status != Status.STATUS_ACTIVE) {
            throw OutboxCode.TRANSACTION_ENDED.exception(name, status);
        }
        try {
            // Refused here and not at the commit, whose caller may not see why it failed.
            String closed = lazyStore.whyClosed();
            if (closed != null) {
                throw OutboxCode.STORE_CLOSED.exception(name, closed);
            }
            List<NewMessage> messages = factory.messages(type, event);
            // Get the buffer after the enrichers: one of them may have ended the transaction and begun another.
            buffer().add(messages);
        } catch (RuntimeException | Error e) {
            registry.setRollbackOnly();
            throw e;
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
}
