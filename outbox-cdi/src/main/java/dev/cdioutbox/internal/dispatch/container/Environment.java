package dev.cdioutbox.internal.dispatch.container;

import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.dispatch.listener.ListenerNotifier;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.spi.OutboxPublisher;

/**
 * The environment of one outbox's dispatcher, which all its classes share: the store, the container's services, the
 * publisher and the listeners. Thread-safe.
 *
 * @param current supplies the current configuration
 * @param stopping whether the application is stopping
 * @param nanos a monotonic clock in nanoseconds
 */
public record Environment(
        OutboxStore store,
        OutboxPublisher publisher,
        Transactions transactions,
        NodeIdentity node,
        Supplier<OutboxConfig> current,
        BooleanSupplier stopping,
        LongSupplier nanos,
        ListenerNotifier listeners) {

    /** @param publisher the application's publisher, which serves several outboxes */
    public static Environment of(
            OutboxStore store,
            OutboxPublisher publisher,
            Transactions transactions,
            NodeIdentity node,
            Supplier<OutboxConfig> current,
            BooleanSupplier stopping) {
        OutboxPublisher labelled = new WorkerPublisher(publisher, current.get()::label);
        ListenerNotifier listeners = new ListenerNotifier(stopping);
        return new Environment(store, labelled, transactions, node, current, stopping, System::nanoTime, listeners);
    }

    public OutboxConfig config() {
        return current.get();
    }

    public boolean isStopping() {
        return stopping.getAsBoolean();
    }

    /** Runs work in a new global transaction and commits it. */
    public void inNew(Work work) throws Exception {
        transactions.inNew(() -> {
            work.run();
            return null;
        });
    }

    /** Work that has no result. */
    public interface Work {
        void run() throws Exception;
    }

    /** Runs work outside of any global transaction, on other connections than the caller's. */
    public <T> T outside(Callable<T> work) throws Exception {
        return transactions.outside(work);
    }

    public void notifyEach(Consumer<DispatchListener> what) {
        listeners.notifyEach(what);
    }

    /**
     * Probes a destination in a new transaction, with a message that no consumer gets. With exactly-once, broker and
     * database commit one transaction with two branches.
     *
     * @throws Exception if the destination does not answer, or the transaction cannot commit
     */
    public void probe(String destination, Guarantee guarantee) throws Exception {
        inNew(() -> {
            publisher.probe(destination);
            if (guarantee == Guarantee.EXACTLY_ONCE) {
                store.writeHeartbeat(node);
            }
        });
    }
}
