package dev.cdioutbox.internal.config;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.logging.Logger;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.Lines;
import dev.cdioutbox.internal.code.OutboxCode;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;

/**
 * Provides the current configuration of one outbox, from MicroProfile Config. On Liberty, a {@code <variable>} in
 * server.xml changes the configuration at run time. Thread-safe.
 */
public final class CurrentConfig {
    private static final Logger LOG = Logger.getLogger(CurrentConfig.class.getName());

    private final String module;
    private final Supplier<ConfigReader> reader;
    private final ConfigReader started;

    private final AtomicReference<OutboxConfig> current = new AtomicReference<>();
    private final Watched unknown = new Watched(OutboxCode.UNKNOWN_KEYS);
    private final Watched restart = new Watched(OutboxCode.RESTART_NEEDED);
    private final Watched refused = new Watched(OutboxCode.CONFIGURATION_KEPT);

    /** @param reader makes a reader of the properties as they are at that moment */
    CurrentConfig(String module, Supplier<ConfigReader> reader) {
        this.module = module;
        this.reader = reader;
        started = reader.get();
        current.set(started.read());
        unknown.now(String.join(", ", started.unknown()));
    }

    /**
     * Loads the configurations of all outboxes, by the outboxes' names, the default one first.
     *
     * @param module the name of the deployed module, the default of outbox.application
     * @param handlers supplies, for the name of an outbox, the event types of each handler by its name
     * @throws dev.cdioutbox.OutboxException OBX-0201 with the first outbox's wrong keys
     */
    public static Map<String, CurrentConfig> loadAll(
            String module, Function<String, Map<String, List<String>>> handlers) {
        Map<String, CurrentConfig> all = new LinkedHashMap<>();
        names().forEach(name ->
                all.put(name, new CurrentConfig(module, () -> reader(name, module, handlers.apply(name)))));
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
        module = config.outbox();
        reader = null;
        started = null;
        current.set(config);
    }

    /** The current snapshot: the same object until a setting changes. */
    public OutboxConfig current() {
        return current.get();
    }

    /** Reads the configuration again. With a wrong value, the current snapshot stays, so that a typo stops nothing. */
    public void refresh() {
        try {
            ConfigReader now = reader.get();
            OutboxConfig read = now.read();
            unknown.now(String.join(", ", now.unknown()));
            restart.now(String.join(", ", now.changedSince(started)));
            refused.now("");
            OutboxConfig next = read.in(current.get());
            if (!next.equals(current.get())) {
                current.set(next);
            }
        } catch (RuntimeException wrong) {
            // The outbox's own message has a line for each value.
            refused.now(wrong instanceof OutboxException ? wrong.getMessage() : FailureReason.of(wrong));
        }
    }

    /** What is wrong with the configuration at this moment. */
    public List<Finding> findings() {
        return Stream.of(unknown, restart, refused).flatMap(Watched::finding).toList();
    }

    /** The name of the deployed module. */
    public String module() {
        return module;
    }

    private static ConfigReader reader(String outbox, String module, Map<String, List<String>> handlers) {
        Config config = config();
        return new ConfigReader(
                new OutboxProperties(
                        outbox, name -> config.getOptionalValue(name, String.class), config.getPropertyNames()),
                module,
                handlers);
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

    /** What is wrong in one respect, as the last look found it. */
    private static final class Watched {
        private final OutboxCode code;
        /** Empty if nothing is wrong. */
        private final AtomicReference<String> last = new AtomicReference<>("");

        Watched(OutboxCode code) {
            this.code = code;
        }

        /** Logs what differs from the last look. */
        void now(String wrong) {
            if (!wrong.equals(last.getAndSet(wrong)) && !wrong.isEmpty()) {
                LOG.warning(code.text(new Lines(wrong)));
            }
        }

        Stream<Finding> finding() {
            return Stream.of(last.get())
                    .filter(wrong -> !wrong.isEmpty())
                    .map(Lines::new)
                    .map(code::finding);
        }
    }
}
