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
import dev.cdioutbox.internal.store.CaptureStore;
import dev.cdioutbox.internal.store.NewMessage;

/**
 * The messages that one transaction has captured and not yet written. Belongs to the transaction and is used by its
 * thread only.
 *
 * <p>The rows must be written after the flush of Jakarta Persistence. Only then does the transaction hold the lock on the
 * business row, so that the order of rows of one key is the commit order; and generated ids exist. An interposed
 * synchronization, which is registered with the first message, writes the rows. On Liberty, it runs after the flush.
 *
 * <p>On other servers, the flush is an interposed synchronization too, and may come later. Therefore observers of the phase
 * BEFORE_COMPLETION, which are called before all interposed synchronizations, let the buffer register a second one, which
 * writes in place of the first. By then the flush is registered, and the tested servers call synchronizations in the order
 * of their registration.
 *
 * <p>If the first event is fired during the flush, that phase is over, and the first synchronization writes. For messages
 * captured after a write, the buffer registers another one.
 */
final class TransactionBuffer {
    private final TransactionSynchronizationRegistry registry;
    private final CaptureStore store;
    private final long maxBytes;
    private final Consumer<List<NewMessage>> committed;
    private final List<NewMessage> pending = new ArrayList<>();
    private final List<NewMessage> written = new ArrayList<>();
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

    /** Registers a writer behind the flush, in place of the first one: the phase BEFORE_COMPLETION has begun. */
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
        // Messages captured from here on need another writer.
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
