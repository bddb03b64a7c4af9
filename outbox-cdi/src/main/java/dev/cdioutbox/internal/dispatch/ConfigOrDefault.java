package dev.cdioutbox.internal.dispatch;

import java.util.function.Function;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.config.OutboxConfig;

/**
 * Reads a value of the configuration at the edge of a run, with a default: a stopping application may not have a
 * configuration any more.
 */
final class ConfigOrDefault {
    private static final Logger LOG = Logger.getLogger(ConfigOrDefault.class.getName());

    private ConfigOrDefault() {}

    static <T> T read(Supplier<OutboxConfig> config, Function<DispatcherConfig, T> what, T otherwise) {
        try {
            return what.apply(config.get().dispatcher());
        } catch (RuntimeException e) {
            LOG.log(Level.FINE, "no configuration at an end of a run", e);
            return otherwise;
        }
    }
}
