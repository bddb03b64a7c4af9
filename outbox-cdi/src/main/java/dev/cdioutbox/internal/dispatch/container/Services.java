package dev.cdioutbox.internal.dispatch.container;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.ThisNode;
import dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore;
import dev.cdioutbox.spi.OutboxPublisher;

/**
 * What all classes of one outbox's dispatcher use: the store, the publishers, the container's transactions, the
 * listeners, the configuration and the clock. Thread-safe.
 *
 * @param publishers the application's publishers by their transports. They serve several outboxes, so they get
 *     destinations by their labels: use one only through {@code publish.DestinationPublisher}
 * @param current supplies the current configuration
 * @param stopping whether the application is stopping: then each run ends after its batch, and no new run begins
 * @param nanos a monotonic clock in nanoseconds
 */
public record Services(
        JdbcOutboxStore store,
        Map<String, OutboxPublisher> publishers,
        Transactions transactions,
        ThisNode node,
        Supplier<OutboxConfig> current,
        BooleanSupplier stopping,
        LongSupplier nanos,
        Listeners listeners) {

    /** How long a thread works before another one continues: a server that stops waits for the running ones. */
    public static final Duration TIME_SLICE = Duration.ofSeconds(1);

    public Services(
            JdbcOutboxStore store,
            Map<String, OutboxPublisher> publishers,
            Transactions transactions,
            ThisNode node,
            Supplier<OutboxConfig> current,
            BooleanSupplier stopping) {
        this(store, publishers, transactions, node, current, stopping, System::nanoTime, List.of());
    }

    /** @param listeners the first ones */
    public Services(
            JdbcOutboxStore store,
            Map<String, OutboxPublisher> publishers,
            Transactions transactions,
            ThisNode node,
            Supplier<OutboxConfig> current,
            BooleanSupplier stopping,
            LongSupplier nanos,
            List<DispatchListener> listeners) {
        this(store, publishers, transactions, node, current, stopping, nanos, new Listeners(listeners, stopping));
    }

    public OutboxConfig config() {
        return current.get();
    }

    public boolean isStopping() {
        return stopping.getAsBoolean();
    }

    /** The time of the monotonic clock, in nanoseconds. */
    public long nanoTime() {
        return nanos.getAsLong();
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

    /** @see Listeners#notifyEach */
    public void notifyEach(Consumer<DispatchListener> what) {
        listeners.notifyEach(what);
    }
}
