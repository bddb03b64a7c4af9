package dev.cdioutbox.internal.capture;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.EventRefusedException;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.capture.CaptureStore;

/**
 * The messages that one transaction has captured and not yet written. Belongs to the transaction and is used by its
 * thread only.
 *
 * <p>The rows must be written after the flush of Jakarta Persistence. Only then does the transaction hold the lock on the
 * business row, so that the order of rows of one key is the commit order; and generated ids exist. So an interposed
 * synchronization writes them. Each one that is registered takes the place of the one before:
 *
 * <table>
 * <caption>Synchronizations of a transaction</caption>
 * <tr><th>registered</th><th>why it comes after the flush</th></tr>
 * <tr><td>with the first message</td><td>On Liberty, the flush is no interposed synchronization and comes before all of them</td></tr>
 * <tr><td>by {@link #writeAfterFlush}, which observers of the phase BEFORE_COMPLETION call before all interposed
 *     synchronizations</td><td>On other servers, the flush is an interposed synchronization, which is registered by then. The
 *     tested servers call them in the order of their registration</td></tr>
 * <tr><td>with the first message after a write</td><td>The event was fired during the flush, when that phase is over, or
 *     later</td></tr>
 * </table>
 */
final class TransactionBuffer {
    private final TransactionSynchronizationRegistry registry;
    private final CaptureStore store;
    private final long maxBytes;
    private final Consumer<List<NewMessage>> committed;
    private final List<NewMessage> pending = new ArrayList<>();
    private final List<NewMessage> written = new ArrayList<>();
    /** The registered synchronization that writes; null if the next message has to register one. */
    private Write writer;

    private boolean writesAfterFlush;
    private long bytes;

    /** @param maxBytes the memory that the messages of one transaction may need */
    TransactionBuffer(
            TransactionSynchronizationRegistry registry,
            CaptureStore store,
            long maxBytes,
            Consumer<List<NewMessage>> committed) {
        this.registry = registry;
        this.store = store;
        this.maxBytes = maxBytes;
        this.committed = committed;
    }

    /**
     * Adds the messages of one event.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0123 if the transaction has too many: they would use up the memory of
     *     all threads, and writing some of them early would break the order of commits
     */
    void add(List<NewMessage> messages) {
        store.require(messages);
        bytes += messages.stream().mapToLong(NewMessage::memory).sum();
        if (bytes > maxBytes) {
            throw OutboxCode.TRANSACTION_TOO_LARGE.exception(
                    messages.get(0).event().type(), pending.size() + written.size() + messages.size(), bytes, maxBytes);
        }
        pending.addAll(messages);
        if (writer == null) {
            writer = register();
        }
    }

    /** The phase BEFORE_COMPLETION has begun. Only its first call in a transaction has an effect. */
    void writeAfterFlush() {
        if (!writesAfterFlush) {
            writesAfterFlush = true;
            writer = register();
        }
    }

    private Write register() {
        Write write = new Write();
        registry.registerInterposedSynchronization(write);
        return write;
    }

    private void write() {
        writer = null;
        if (pending.isEmpty()) {
            return;
        }
        List<NewMessage> batch = List.copyOf(pending);
        pending.clear();
        try {
            store.write(batch);
            written.addAll(batch);
        } catch (RuntimeException | Error e) {
            // On Liberty an exception from a synchronization causes the rollback, but other servers may ignore it.
            registry.setRollbackOnly();
            if (e instanceof EventRefusedException refused) {
                throw refused;
            }
            Set<String> types = batch.stream().map(m -> m.event().type()).collect(Collectors.toSet());
            throw OutboxCode.EVENT_NOT_STORED.exception(e, batch.size(), types, "the outbox", FailureReason.of(e));
        }
    }

    private final class Write implements Synchronization {
        @Override
        public void beforeCompletion() {
            if (writer == this) {
                write();
            }
        }

        @Override
        public void afterCompletion(int status) {
            if (status == Status.STATUS_COMMITTED && !written.isEmpty()) {
                List<NewMessage> once = List.copyOf(written);
                written.clear();
                committed.accept(once);
            }
        }
    }
}
