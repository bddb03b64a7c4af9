package dev.cdioutbox.internal.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;

/**
 * Provides the current configuration of one outbox, from MicroProfile Config. On Liberty, a {@code <variable>} in
 * server.xml changes the configuration at run time. Thread-safe.
 */
public final class CurrentConfig {
    private static final Logger LOG = Logger.getLogger(CurrentConfig.class.getName());

    private final String outbox;
    private final String module;
    private final ConfigReader started;
    /** Keys without an effect, of the start. */
    private final String unknown;

    private final AtomicReference<OutboxConfig> current = new AtomicReference<>();
    private final AtomicReference<String> lastProblem = new AtomicReference<>();
    private final AtomicReference<String> lastRestart = new AtomicReference<>("");

    private CurrentConfig(String outbox, String module) {
        this.outbox = outbox;
        this.module = module;
        started = reader();
        current.set(started.read());
        unknown = String.join(", ", started.unknown());
        findings().forEach(finding -> LOG.warning(finding.toString()));
    }

    /**
     * Loads the configurations of all outboxes, by the outboxes' names, the default one first.
     *
     * @param module the name of the deployed module, the default of outbox.application
     * @throws dev.cdioutbox.OutboxException OBX-0201 with the first outbox's wrong keys
     */
    public static Map<String, CurrentConfig> loadAll(String module) {
        Map<String, CurrentConfig> all = new LinkedHashMap<>();
        names().forEach(name -> all.put(name, new CurrentConfig(name, module)));
        return all;
    }

    /** The names of all configured outboxes, the default one first. */
    public static Set<String> names() {
        Set<String> names = new LinkedHashSet<>(Set.of(OutboxConfig.DEFAULT_OUTBOX));
        names.addAll(OutboxProperties.outboxes(config().getPropertyNames()));
        return names;
    }

    /** For tests: the default outbox, with a configuration that does not change. */
    public CurrentConfig(OutboxConfig config) {
        outbox = OutboxConfig.DEFAULT_OUTBOX;
        module = config.outbox();
        started = null;
        unknown = "";
        current.set(config);
    }

    /** The current snapshot. */
    public OutboxConfig current() {
        return current.get();
    }

    /**
     * Reads the configuration again. For a wrong value, it logs once and keeps the current snapshot, so that a typo
     * stops nothing.
     */
    public void refresh() {
        try {
            ConfigReader reader = reader();
            OutboxConfig read = reader.read();
            lastProblem.set(null);
            reportRestart(String.join(", ", reader.changedSince(started)));
            current.set(read.in(current.get()));
        } catch (RuntimeException wrong) {
            String reason = FailureReason.of(wrong);
            if (!reason.equals(lastProblem.getAndSet(reason))) {
                LOG.log(Level.WARNING, OutboxCode.CONFIGURATION_KEPT.text(wrong.getMessage()));
            }
        }
    }

    /** What is wrong with the configuration at this moment. */
    public List<Finding> findings() {
        List<Finding> found = new ArrayList<>();
        if (!unknown.isEmpty()) {
            found.add(OutboxCode.UNKNOWN_KEYS.finding(unknown));
        }
        if (!lastRestart.get().isEmpty()) {
            found.add(OutboxCode.RESTART_NEEDED.finding(lastRestart.get()));
        }
        if (lastProblem.get() != null) {
            found.add(OutboxCode.CONFIGURATION_KEPT.finding(lastProblem.get()));
        }
        return found;
    }

    /** Logs each different list once. */
    private void reportRestart(String keys) {
        if (!keys.equals(lastRestart.getAndSet(keys)) && !keys.isEmpty()) {
            LOG.warning(OutboxCode.RESTART_NEEDED.text(keys));
        }
    }

    /** The name of the deployed module. */
    public String module() {
        return module;
    }

    private ConfigReader reader() {
        Config config = config();
        return new ConfigReader(
                new OutboxProperties(
                        outbox, name -> config.getOptionalValue(name, String.class), config.getPropertyNames()),
                module);
    }

    private static Config config() {
        try {
            // The thread's loader would not do: in an EAR with several modules, it does not see the WAR's properties
            // file.
            return ConfigProvider.getConfig(CurrentConfig.class.getClassLoader());
        } catch (NoClassDefFoundError | IllegalStateException e) {
            // The API or its implementation is absent.
            throw OutboxCode.NO_CONFIG.exception(e, e.getMessage());
        }
    }
}
