package dev.cdioutbox.internal.capture;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.OutboxStore;

/**
 * The messages that one transaction has captured and not yet written. Belongs to the transaction and is used by its
 * thread only.
 *
 * <p>An interposed synchronization writes the rows, after the Jakarta Persistence flush. Then generated ids exist. The
 * transaction still locks the business row, so that for one key the order of rows is the order of commits. The buffer
 * registers the first synchronization with the first message. On servers with an interposed flush, that synchronization
 * runs before the flush. So the BEFORE_COMPLETION observer registers a second one, which then writes instead. For
 * messages captured after a write, the buffer registers a further one.
 */
final class TransactionBuffer {
    private final TransactionSynchronizationRegistry registry;
    private final OutboxStore store;
    private final long maxBytes;
    private final Consumer<List<NewMessage>> committed;
    private final List<NewMessage> pending = new ArrayList<>();
    private final List<NewMessage> written = new ArrayList<>();
    private Write writer;
    private boolean handedOver;
    private long bytes;

    /** @param maxBytes the memory that the messages of one transaction may need */
    TransactionBuffer(
            TransactionSynchronizationRegistry registry,
            OutboxStore store,
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
        bytes += messages.stream().mapToLong(NewMessage::memory).sum();
        if (bytes > maxBytes) {
            throw Problem.TRANSACTION_TOO_LARGE.exception(
                    messages.get(0).event().type(), pending.size() + written.size() + messages.size(), bytes, maxBytes);
        }
        pending.addAll(messages);
        if (writer == null) {
            writer = register();
        }
    }

    void handOver() {
        if (!handedOver) {
            handedOver = true;
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
            Set<String> types = batch.stream().map(m -> m.event().type()).collect(Collectors.toSet());
            throw Problem.EVENT_NOT_STORED.exception(e, batch.size(), types, "the outbox", Problem.reason(e));
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
