package dev.cdioutbox.internal.dispatch.container;

import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.config.OutboxConfig;

/**
 * The current configuration, and whether the application is stopping. Thread-safe.
 *
 * @param current supplies the current configuration; fails if the application has ended
 */
public record ApplicationState(Supplier<OutboxConfig> current, BooleanSupplier stopping) {
    private static final Logger LOG = Logger.getLogger(ApplicationState.class.getName());

    public OutboxConfig config() {
        return current.get();
    }

    public boolean isStopping() {
        return stopping.getAsBoolean();
    }

    /** The number of threads that may work for one destination; one if the application has ended. */
    public int concurrency() {
        return read(DispatcherConfig::concurrency, 1);
    }

    /** Whether the dispatcher is enabled; false if the application has ended. */
    public boolean isEnabled() {
        return read(DispatcherConfig::enabled, false);
    }

    private <T> T read(Function<DispatcherConfig, T> what, T otherwise) {
        try {
            return what.apply(config().dispatcher());
        } catch (RuntimeException e) {
            LOG.log(Level.FINE, "no configuration at an end of a run", e);
            return otherwise;
        }
    }
}
