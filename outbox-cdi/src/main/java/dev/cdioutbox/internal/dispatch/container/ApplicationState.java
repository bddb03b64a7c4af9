package dev.cdioutbox.internal.dispatch.container;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import dev.cdioutbox.internal.config.OutboxConfig;

/**
 * The current configuration, and whether the application is stopping. Thread-safe.
 *
 * @param current supplies the current configuration
 */
public record ApplicationState(Supplier<OutboxConfig> current, BooleanSupplier stopping) {

    public OutboxConfig config() {
        return current.get();
    }

    public boolean isStopping() {
        return stopping.getAsBoolean();
    }

    /** The number of threads that may work for one destination. */
    public int concurrency() {
        return config().dispatcher().concurrency();
    }
}
