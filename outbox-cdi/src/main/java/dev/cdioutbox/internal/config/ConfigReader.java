package dev.cdioutbox.internal.config;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig.CaptureConfig;
import dev.cdioutbox.internal.config.OutboxConfig.ConsoleConfig;
import dev.cdioutbox.internal.config.OutboxConfig.HealthConfig;
import dev.cdioutbox.internal.config.OutboxConfig.InboxConfig;
import dev.cdioutbox.internal.config.OutboxConfig.InboxConfig.MissingId;
import dev.cdioutbox.internal.config.OutboxConfig.JmsConfig;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.problem.Problem;

/** Turns properties into a snapshot, or throws one message that names every wrong key. */
public final class ConfigReader {
    public static final String DATA_SOURCE = "outbox.datasource";
    public static final String DISPATCHING_DATA_SOURCE = "outbox.dispatcher.datasource";

    private static final String DESTINATIONS = "outbox.destinations.";
    private static final String EXTERNAL = ".external";
    private static final String ROUTES = "outbox.routes.";
    /** The share of the heap for one transaction. The insert needs two times as much again: together half of the heap. */
    private static final int SHARE = 6;
    /** In bytes: 16 TiB. */
    private static final long MAX_HEAP = 1L << 44;
    /** The longest duration of most keys: ten years. */
    private static final String NEVER = "P3650D";

    static final Pattern READ_AT_START = Pattern.compile(
            "outbox\\.(datasource|dispatcher\\.datasource|schema|table-prefix|application|partitions|ordering"
                    + "|outside-transaction|(payload|transaction)\\.max-size|console\\..*|routes\\..*|destinations\\..*\\.external)");

    private final ConfigKeys keys;
    private final String module;

    /**
     * Reads the keys of one outbox.
     *
     * @param module the name of the deployed module, the default of outbox.application
     */
    public ConfigReader(ConfigKeys keys, String module) {
        this.keys = keys;
        this.module = module;
    }

    /**
     * Reads a snapshot.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0201 with every wrong key, its value and the allowed values
     */
    public OutboxConfig read() {
        StoreConfig store = store();
        Map<String, DestinationConfig> destinations = destinations();
        OutboxConfig config = new OutboxConfig(
                keys.outbox(),
                store,
                capture(),
                destinations,
                routes(destinations.keySet()),
                dispatcher(store.partitions(), destinations.keySet()),
                retry(),
                retention(),
                inbox(),
                health(),
                console(),
                jms(store.application()));
        if (!keys.problems().isEmpty()) {
            throw Problem.BAD_CONFIGURATION.exception(keys.problems().stream()
                    .map(problem -> System.lineSeparator() + "  " + problem)
                    .collect(Collectors.joining()));
        }
        return config;
    }

    /** Finds keys that are set but have no effect, each with a similar known key. Call {@link #read()} first. */
    public List<String> unknown() {
        return keys.unread();
    }

    /**
     * Finds the keys that are read at start only, and now have another value. A new or removed destination counts too.
     *
     * @param start the reader at start; both readers have read a snapshot
     */
    public List<String> changedSince(ConfigReader start) {
        Map<String, String> now = keys.texts();
        Map<String, String> then = start.keys.texts();
        return Stream.of(now, then)
                .flatMap(texts -> texts.keySet().stream())
                .filter(key -> !key.endsWith(EXTERNAL) || isDestination(key, now) && isDestination(key, then))
                .filter(key -> READ_AT_START.matcher(key).matches()
                        ? !Objects.equals(now.get(key), then.get(key))
                        : key.endsWith(".jndi") && now.containsKey(key) != then.containsKey(key))
                .map(keys::spelled)
                .distinct()
                .sorted()
                .toList();
    }

    /** @param external the key of a destination that may be new or removed, which is reported by its name in JNDI */
    private static boolean isDestination(String external, Map<String, String> texts) {
        return texts.containsKey(external.substring(0, external.length() - EXTERNAL.length()) + ".jndi");
    }

    private StoreConfig store() {
        String dataSource = keys.text(DATA_SOURCE, "java:comp/DefaultDataSource");
        if (keys.isInherited(DATA_SOURCE)) {
            keys.wrong(keys.mine(DATA_SOURCE), "", "the JNDI name of this outbox's DataSource");
        }
        return new StoreConfig(
                dataSource,
                keys.choice("outbox.schema", SchemaMode.CREATE),
                keys.matching(
                        "outbox.table-prefix",
                        "outbox_",
                        "([A-Za-z_][A-Za-z0-9_]{0,62}\\.)?[A-Za-z_][A-Za-z0-9_]{0,15}",
                        "up to 16 letters, digits and underscores, not starting with a digit; the name of a database schema"
                                + " and a dot may stand before"),
                keys.matching("outbox.application", module, "[^\\p{Cc}\\p{Cf}]{1,64}", "1 to 64 visible characters"),
                keys.integer("outbox.partitions", 64, 1, 1024),
                keys.choice("outbox.ordering", Ordering.ROW_LOCK),
                // A named outbox does not inherit this key, because its tables are in another database.
                keys.isInherited(DISPATCHING_DATA_SOURCE) ? null : keys.text(DISPATCHING_DATA_SOURCE, null));
    }

    private CaptureConfig capture() {
        return new CaptureConfig(
                keys.isSecond("outbox.outside-transaction", "reject", "own-transaction"),
                keys.integer("outbox.payload.max-size", 1_048_576, 1, 64 * 1_048_576),
                keys.longInteger(
                        "outbox.transaction.max-size", Runtime.getRuntime().maxMemory() / SHARE, 1, MAX_HEAP));
    }

    private DispatcherConfig dispatcher(int partitions, Set<String> destinations) {
        Guarantee delivery = keys.choice("outbox.dispatcher.delivery", Guarantee.EXACTLY_ONCE);
        return new DispatcherConfig(
                keys.flag("outbox.dispatcher.enabled", true),
                keys.duration("outbox.dispatcher.interval", "PT5S", "PT0.1S", "P1D"),
                keys.integer("outbox.dispatcher.batch-size", 500, 1, 1_000),
                keys.integer("outbox.dispatcher.batch-max-bytes", 4_194_304, 1, 256 * 1_048_576),
                keys.integer("outbox.dispatcher.max-partitions", Math.max(1, partitions / 4), 1, partitions),
                keys.integer("outbox.dispatcher.concurrency", 2, 1, 64),
                delivery,
                shadowDestination(destinations),
                lease(delivery));
    }

    /**
     * A lease may expire while its node still sends, and another node sends the same messages: only at-least-once
     * allows such duplicates.
     */
    private Duration lease(Guarantee delivery) {
        String claim = keys.matching(
                "outbox.dispatcher.claim",
                "lock",
                delivery == Guarantee.AT_LEAST_ONCE ? "lock|lease" : "lock",
                "lock; or lease, with outbox.dispatcher.delivery=at-least-once");
        Duration lease = keys.duration("outbox.dispatcher.lease", "PT1M", "PT5S", "P1D");
        return claim.equals("lease") ? lease : null;
    }

    private String shadowDestination(Set<String> destinations) {
        String key = "outbox.dispatcher.shadow-destination";
        String shadow = keys.text(key, null);
        if (shadow != null && !shadow.equals(DispatcherConfig.DISCARD) && !destinations.contains(shadow)) {
            keys.wrong(key, shadow, DispatcherConfig.DISCARD + " or one of " + destinations);
        }
        return shadow;
    }

    private RetryConfig retry() {
        Duration base = keys.duration("outbox.retry.base-delay", "PT1S", "PT0.001S", "P1D");
        Duration max = keys.duration("outbox.retry.max-delay", "PT10M", "PT0.001S", "P1D");
        if (max.compareTo(base) < 0) {
            keys.wrong("outbox.retry.max-delay", max, "at least outbox.retry.base-delay, which is " + base);
        }
        return new RetryConfig(
                keys.integer("outbox.retry.max-attempts", 10, 1, 1_000_000),
                base,
                keys.number("outbox.retry.multiplier", 2, 1, 100),
                max,
                keys.number("outbox.retry.jitter", 0.25, 0, 1),
                keys.isSecond("outbox.retry.on-abandon", "skip", "block"));
    }

    private RetentionConfig retention() {
        return new RetentionConfig(
                keys.duration("outbox.retention.published", "PT72H", "PT0S", NEVER),
                keys.duration("outbox.retention.abandoned", "P30D", "PT0S", NEVER),
                keys.isSecond("outbox.retention.mode", "delete", "archive"),
                keys.isSecond("outbox.retention.payload", "keep", "erase"));
    }

    private InboxConfig inbox() {
        return new InboxConfig(
                keys.choice("outbox.inbox.missing-id", MissingId.JMS_MESSAGE_ID),
                keys.duration("outbox.retention.inbox", "P7D", "PT1M", NEVER));
    }

    private HealthConfig health() {
        return new HealthConfig(
                keys.duration("outbox.health.max-age", null, "PT1S", NEVER),
                keys.integer("outbox.health.max-pending", null, 1, OutboxBacklog.CAP - 1));
    }

    private ConsoleConfig console() {
        return new ConsoleConfig(
                keys.flag("outbox.console.enabled", false),
                keys.matching(
                        "outbox.console.path",
                        "/outbox",
                        "(/[A-Za-z0-9._~-]{1,64}){1,8}",
                        "a path such as /outbox or /admin/outbox, of letters, digits and . _ ~ -"));
    }

    private JmsConfig jms(String application) {
        String source =
                "/" + URLEncoder.encode(application, StandardCharsets.UTF_8).replace("+", "%20");
        return new JmsConfig(
                keys.flag("outbox.jms.cloudevents", false),
                keys.matching(
                        "outbox.jms.cloudevents.source",
                        source,
                        "[\\w.~:/?#\\[\\]@!$&'()*+,;=%-]+",
                        "a URI reference, for example /shop or https://shop.example"),
                keys.flag("outbox.jms.record-message-id", false));
    }

    private Map<String, DestinationConfig> destinations() {
        Map<String, DestinationConfig> destinations = new TreeMap<>();
        destinations.put(OutboxConfig.DEFAULT_DESTINATION, destination(OutboxConfig.DEFAULT_DESTINATION));
        for (String key : keys.names()) {
            int end = key.lastIndexOf('.');
            if (key.startsWith(DESTINATIONS) && end > DESTINATIONS.length()) {
                destinations.computeIfAbsent(key.substring(DESTINATIONS.length(), end), this::destination);
            }
        }
        return destinations;
    }

    private DestinationConfig destination(String name) {
        String key = DESTINATIONS + name;
        // The label of a destination has the name of its outbox before a slash.
        if (!name.matches("[^/\\p{Cc}\\p{Cf}]{1,64}") || name.equals(DispatcherConfig.DISCARD)) {
            keys.wrong(key, name, "a name of at most 64 visible characters without a slash, and not discard");
        }
        boolean isDefault = name.equals(OutboxConfig.DEFAULT_DESTINATION);
        String jndi = keys.text(key + ".jndi", isDefault ? "jms/outbox" : "");
        if (jndi.isEmpty()) {
            keys.wrong(key + ".jndi", "", "the JNDI name of a queue or topic");
        }
        return new DestinationConfig(
                jndi,
                keys.text(key + ".connection-factory", "java:comp/DefaultJMSConnectionFactory"),
                keys.duration(key + ".time-to-live", "PT0S", "PT0S", NEVER),
                !keys.isSecond(key + ".group-id", "key", "none"),
                keys.flag(key + ".external", false));
    }

    private Map<String, List<String>> routes(Set<String> destinations) {
        Map<String, List<String>> routes = new TreeMap<>();
        for (String key : keys.names()) {
            if (key.startsWith(ROUTES)) {
                List<String> targets = Stream.of(
                                keys.text(key, OutboxConfig.DEFAULT_DESTINATION).split(","))
                        .map(String::strip)
                        .distinct()
                        .toList();
                targets.stream()
                        .filter(target -> !destinations.contains(target))
                        .forEach(target ->
                                keys.wrong(key, target, "one or more of " + destinations + ", comma-separated"));
                routes.put(key.substring(ROUTES.length()), targets);
            }
        }
        return routes;
    }
}
