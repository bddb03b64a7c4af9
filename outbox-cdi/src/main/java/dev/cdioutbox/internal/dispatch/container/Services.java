package dev.cdioutbox.internal.dispatch.container;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.ThisNode;
import dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.OutboxPublisher.Marker;
import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * What all classes of one outbox's dispatcher use: the store, the publishers, the container's transactions, the
 * listeners, the configuration and the clock. Thread-safe.
 *
 * @param publishers the application's publishers by their transports. They serve several outboxes, so they get
 *     destinations by their labels: pass one only through {@link #open}, {@link #probe} and {@link #describe}
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

    private static final Sender NOWHERE = new Sender() {
        @Override
        public void send(OutboxMessage message) {
            // The settlement only sets the shadow mark on the row.
        }

        @Override
        public Map<OutboxMessage, PublishException> complete() {
            return Map.of();
        }

        @Override
        public void close() {
            // There is no resource to close.
        }
    };

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

    /** Whether this is the shadow destination "discard": the outbox marks its messages, and sends none. */
    public static boolean isNowhere(String destination) {
        return DispatcherConfig.DISCARD.equals(destination);
    }

    /** Opens a sender for a destination, in the current transaction. */
    public Sender open(String destination) throws PublishException {
        return isNowhere(destination) ? NOWHERE : publisher(destination).open(config().label(destination));
    }

    /** Opens a sender that commits a marker with its batch. */
    public Sender open(String destination, String memory, long number) throws PublishException {
        return publisher(destination).open(config().label(destination), memory, number);
    }

    /** Shuts out earlier senders, and returns the last marker; null if there is none. */
    public Marker takeOver(String destination, String memory) throws PublishException {
        return publisher(destination).takeOver(config().label(destination), memory);
    }

    /** Probes a destination in the current transaction, with a message that no consumer gets. */
    public void probe(String destination) throws PublishException {
        if (!isNowhere(destination)) {
            publisher(destination).probe(config().label(destination));
        }
    }

    /** Asks outside of a transaction whether a destination has room. */
    public void checkRoom(String destination) throws Exception {
        if (!isNowhere(destination)) {
            outside(() -> {
                publisher(destination).checkRoom(config().label(destination));
                return null;
            });
        }
    }

    /** The name and version of the broker behind a destination. */
    public String describe(String destination) throws PublishException {
        return isNowhere(destination) ? "nowhere" : publisher(destination).describe(config().label(destination));
    }

    /** The publisher for a destination, which is not "discard". */
    public OutboxPublisher publisher(String destination) throws PublishException {
        OutboxPublisher publisher = publisher(destination, config());
        if (publisher == null) {
            throw new PublishException(
                    Blame.DESTINATION, OutboxCode.NOT_CONFIGURED.text(config().label(destination)), null);
        }
        return publisher;
    }

    /** The publisher of a destination by this configuration; null if there is none. */
    public OutboxPublisher publisher(String destination, OutboxConfig config) {
        DestinationConfig own = config.destinations().get(destination);
        return own == null ? null : publishers.get(own.transport());
    }
}
