package dev.cdioutbox.internal.config;

import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.problem.Problem;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;

/**
 * The configuration in force, from MicroProfile Config. On Liberty a {@code <variable>} in server.xml changes it while
 * the application runs. Thread-safe.
 */
public final class ConfigSource {
    private static final Logger LOG = Logger.getLogger(ConfigSource.class.getName());

    private final AtomicReference<OutboxConfig> current = new AtomicReference<>();
    private final AtomicReference<String> lastProblem = new AtomicReference<>();

    public ConfigSource() {}

    /** With a configuration that was read already. */
    public ConfigSource(OutboxConfig config) {
        current.set(config);
    }

    /** Reads the configuration for the first time; a wrong one is the deployment's failure. */
    public OutboxConfig load() {
        ConfigReader reader = reader();
        OutboxConfig config = reader.read();
        if (!reader.unknown().isEmpty()) {
            LOG.warning(Problem.UNKNOWN_KEYS.text(String.join(", ", reader.unknown())));
        }
        current.set(config);
        return config;
    }

    /** The snapshot in force. */
    public OutboxConfig current() {
        return current.get();
    }

    /** Reads again. A wrong value is logged once and leaves the snapshot before it in force: a typo stops nothing. */
    public OutboxConfig refresh() {
        try {
            OutboxConfig config = reader().read().in(current.get());
            lastProblem.set(null);
            current.set(config);
        } catch (RuntimeException wrong) {
            String reason = Problem.reason(wrong);
            if (!reason.equals(lastProblem.getAndSet(reason))) {
                LOG.log(Level.WARNING, Problem.CONFIGURATION_KEPT.text(wrong.getMessage()));
            }
        }
        return current.get();
    }

    private static ConfigReader reader() {
        // Not that of the thread's loader: in an EAR with several modules that one does not have the WAR's file.
        Config config = ConfigProvider.getConfig(ConfigSource.class.getClassLoader());
        return new ConfigReader(key -> config.getOptionalValue(key, String.class), config.getPropertyNames());
    }
}
