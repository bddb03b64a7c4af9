package dev.cdioutbox.internal.dispatch.container;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import dev.cdioutbox.internal.dispatch.listener.DispatchListener;

/**
 * What surrounds the engine: the container's transactions, who observes it, the clock, and the signal to stop. Thread-safe.
 *
 * @param stopping whether the application is stopping: then each run ends after its batch, and no new run begins
 * @param nanos a monotonic clock in nanoseconds
 */
public record Environment(
        Transactions transactions, Listeners listeners, BooleanSupplier stopping, LongSupplier nanos) {

    /** How long a thread works before another one continues: a server that stops waits for the running ones. */
    public static final Duration TIME_SLICE = Duration.ofSeconds(1);

    public Environment(Transactions transactions, BooleanSupplier stopping) {
        this(transactions, List.of(), stopping, System::nanoTime);
    }

    /** @param listeners the first ones */
    public Environment(
            Transactions transactions, List<DispatchListener> listeners, BooleanSupplier stopping, LongSupplier nanos) {
        this(transactions, new Listeners(listeners, stopping), stopping, nanos);
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
