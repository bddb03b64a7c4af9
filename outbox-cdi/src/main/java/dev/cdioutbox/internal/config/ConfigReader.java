package dev.cdioutbox.internal.config;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig.CaptureConfig;
import dev.cdioutbox.internal.config.OutboxConfig.ConsoleConfig;
import dev.cdioutbox.internal.config.OutboxConfig.Dispatch;
import dev.cdioutbox.internal.config.OutboxConfig.HealthConfig;
import dev.cdioutbox.internal.config.OutboxConfig.InboxConfig;
import dev.cdioutbox.internal.config.OutboxConfig.InboxConfig.MissingId;
import dev.cdioutbox.internal.config.OutboxConfig.JmsConfig;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.operate.OutboxBacklog;

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

    private static final RetryConfig RETRY =
            new RetryConfig(10, Duration.ofSeconds(1), 2, Duration.ofMinutes(10), 0.25, false);

    /** A destination's name may have dots, and so have its keys. */
    private static final Pattern RETRY_KEY =
            Pattern.compile("\\.retry\\.(base-delay|max-delay|max-attempts|multiplier|jitter|on-abandon)$");

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
        DispatcherConfig dispatcher =
                dispatcher("outbox.dispatcher", defaults(store.partitions()), destinations.keySet());
        RetryConfig retry = retry("outbox.retry", RETRY);
        OutboxConfig config = new OutboxConfig(
                keys.outbox(),
                store,
                capture(),
                destinations,
                routes(destinations.keySet()),
                dispatcher,
                retry,
                retention(),
                inbox(),
                health(),
                console(),
                jms(store.application()),
                dispatch(destinations.keySet(), dispatcher, retry));
        if (!keys.problems().isEmpty()) {
            throw OutboxCode.BAD_CONFIGURATION.exception(keys.problems().stream()
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

    /** The partitions of a claim are a key of all destinations: a claim of less would only be slower. */
    private DispatcherConfig defaults(int partitions) {
        int claimed = keys.integer("outbox.dispatcher.max-partitions", Math.max(1, partitions / 4), 1, partitions);
        return new DispatcherConfig(
                true, Duration.ofSeconds(5), 500, 4_194_304, claimed, 2, Guarantee.EXACTLY_ONCE, null, null);
    }

    /** The settings of each destination: its own keys, and the global ones as their defaults. */
    private Map<String, Dispatch> dispatch(Set<String> destinations, DispatcherConfig dispatcher, RetryConfig retry) {
        Map<String, Dispatch> dispatch = new TreeMap<>();
        for (String name : destinations) {
            String key = DESTINATIONS + name;
            dispatch.put(name, new Dispatch(dispatcher(key, dispatcher, destinations), retry(key + ".retry", retry)));
        }
        dispatch.forEach((name, own) -> {
            Dispatch target = dispatch.get(own.dispatcher().targetOf(name));
            if (target != null
                    && target.dispatcher().delivery() != own.dispatcher().delivery()) {
                keys.wrong(
                        DESTINATIONS + name + ".shadow-destination",
                        own.dispatcher().shadowDestination(),
                        "a destination with the same delivery, which is "
                                + own.dispatcher().delivery());
            }
        });
        return dispatch;
    }

    /** @param prefix what the keys begin with */
    private DispatcherConfig dispatcher(String prefix, DispatcherConfig or, Set<String> destinations) {
        Guarantee delivery = keys.choice(prefix + ".delivery", or.delivery());
        return new DispatcherConfig(
                keys.flag(prefix + ".enabled", or.enabled()),
                keys.duration(prefix + ".interval", or.interval().toString(), "PT0.1S", "P1D"),
                keys.integer(prefix + ".batch-size", or.batchSize(), 1, 1_000),
                keys.integer(prefix + ".batch-max-bytes", or.batchMaxBytes(), 1, 256 * 1_048_576),
                or.maxPartitions(),
                keys.integer(prefix + ".concurrency", or.concurrency(), 1, 64),
                delivery,
                shadowDestination(prefix + ".shadow-destination", or.shadowDestination(), destinations),
                lease(prefix, or.lease(), delivery));
    }

    /**
     * A lease may expire while its node still sends, and another node sends the same messages: only at-least-once
     * allows such duplicates.
     */
    private Duration lease(String prefix, Duration or, Guarantee delivery) {
        String claim = keys.matching(
                prefix + ".claim",
                or == null ? "lock" : "lease",
                delivery == Guarantee.AT_LEAST_ONCE ? "lock|lease" : "lock",
                "lock; or lease, with " + prefix + ".delivery=at-least-once");
        Duration lease = keys.duration(prefix + ".lease", or == null ? "PT1M" : or.toString(), "PT5S", "P1D");
        return claim.equals("lease") ? lease : null;
    }

    private String shadowDestination(String key, String or, Set<String> destinations) {
        String shadow = keys.text(key, or);
        if (shadow != null && !shadow.equals(DispatcherConfig.DISCARD) && !destinations.contains(shadow)) {
            keys.wrong(key, shadow, DispatcherConfig.DISCARD + " or one of " + destinations);
            return null;
        }
        return shadow;
    }

    /** @param prefix what the keys begin with */
    private RetryConfig retry(String prefix, RetryConfig or) {
        Duration base = keys.duration(prefix + ".base-delay", or.baseDelay().toString(), "PT0.001S", "P1D");
        Duration max = keys.duration(prefix + ".max-delay", or.maxDelay().toString(), "PT0.001S", "P1D");
        if (max.compareTo(base) < 0) {
            keys.wrong(prefix + ".max-delay", max, "at least " + prefix + ".base-delay, which is " + base);
        }
        return new RetryConfig(
                keys.integer(prefix + ".max-attempts", or.maxAttempts(), 1, 1_000_000),
                base,
                keys.number(prefix + ".multiplier", or.multiplier(), 1, 100),
                max,
                keys.number(prefix + ".jitter", or.jitter(), 0, 1),
                keys.matching(
                                prefix + ".on-abandon",
                                or.blockOnAbandon() ? "block" : "skip",
                                "skip|block",
                                "skip or block")
                        .equals("block"));
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
            Matcher retry = RETRY_KEY.matcher(key);
            int end = retry.find() ? retry.start() : key.lastIndexOf('.');
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
