package dev.cdioutbox.internal.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.internal.config.CaptureConfig.OutsideTransaction;
import dev.cdioutbox.internal.config.DispatcherConfig.ClaimBy;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.InboxConfig.MissingId;
import dev.cdioutbox.internal.config.RetentionConfig.Mode;
import dev.cdioutbox.internal.config.RetentionConfig.Payload;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.problem.Problem;

/** Turns properties into a snapshot, or throws one message that names every wrong key. */
public final class ConfigReader {
    private static final String DESTINATIONS = "outbox.destinations.";
    private static final String ROUTES = "outbox.routes.";
    private static final Duration NEVER = Duration.ofDays(3650);

    private final OutboxKeys keys;
    private final String module;
    private final Set<String> names;
    private final Values values;

    /**
     * Reads the keys of one outbox.
     *
     * @param module the name of the deployed module, the default of outbox.application
     */
    public ConfigReader(OutboxKeys keys, String module) {
        this.keys = keys;
        this.module = module;
        this.names = keys.names();
        this.values = new Values(keys);
    }

    /**
     * Reads a snapshot.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0201 with every wrong key, its value and the allowed values
     */
    public OutboxConfig read() {
        Map<String, DestinationConfig> destinations = destinations();
        OutboxConfig config = new OutboxConfig(
                keys.outbox(),
                store(),
                capture(),
                destinations,
                routes(destinations.keySet()),
                dispatcher(destinations.keySet()),
                retry(),
                retention(),
                inbox(),
                health(),
                console(),
                jms());
        if (!values.problems().isEmpty()) {
            throw Problem.BAD_CONFIGURATION.exception(values.problems().stream()
                    .map(problem -> System.lineSeparator() + "  " + problem)
                    .collect(Collectors.joining()));
        }
        return config;
    }

    /** Finds keys that are set but have no effect, each with a similar known key. Call {@link #read()} first. */
    public List<String> unknown() {
        Set<String> asked = values.asked();
        Set<String> environment =
                asked.stream().map(ConfigReader::inEnvironment).collect(Collectors.toSet());
        return keys.own().stream()
                .filter(key -> !asked.contains(key))
                // OUTBOX_DISPATCHER_BATCH_SIZE also appears as outbox.dispatcher.batch.size, and has an effect.
                .filter(key -> !environment.contains(inEnvironment(key)))
                .map(key -> key + Spelling.suggestion(key, asked))
                .toList();
    }

    /** The name of the environment variable that MicroProfile Config reads for a key. */
    private static String inEnvironment(String key) {
        return key.replaceAll("[^A-Za-z0-9]", "_").toUpperCase(Locale.ROOT);
    }

    private StoreConfig store() {
        String dataSource = values.text("outbox.datasource", "java:comp/DefaultDataSource");
        if (keys.isOfNamed() && keys.spelled("outbox.datasource").equals("outbox.datasource")) {
            values.wrong(keys.mine("outbox.datasource"), "", "the JNDI name of this outbox's DataSource");
        }
        return new StoreConfig(
                dataSource,
                values.choice("outbox.schema", SchemaMode.CREATE, SchemaMode.class),
                values.matching(
                        "outbox.table-prefix",
                        "outbox_",
                        "([A-Za-z_][A-Za-z0-9_]{0,62}\\.)?[A-Za-z_][A-Za-z0-9_]{0,15}",
                        "up to 16 letters, digits and underscores, not starting with a digit; the name of a database schema"
                                + " and a dot may stand before"),
                values.matching("outbox.application", module, ".{1,64}", "1 to 64 characters"),
                values.integer("outbox.partitions", 64, 1, 1024),
                values.choice("outbox.ordering", Ordering.ROW_LOCK, Ordering.class),
                dispatchingDataSource());
    }

    /** A named outbox does not inherit this key, because its tables are in another database. */
    private String dispatchingDataSource() {
        String key = "outbox.dispatcher.datasource";
        String name = values.text(key, null);
        return keys.isOfNamed() && keys.spelled(key).equals(key) ? null : name;
    }

    private CaptureConfig capture() {
        return new CaptureConfig(
                values.choice("outbox.outside-transaction", OutsideTransaction.REJECT, OutsideTransaction.class),
                values.integer("outbox.payload.max-size", 1_048_576, 1, 64 * 1_048_576));
    }

    private DispatcherConfig dispatcher(Set<String> destinations) {
        int partitions = values.integer("outbox.partitions", 64, 1, 1024);
        Guarantee delivery = values.choice("outbox.dispatcher.delivery", Guarantee.EXACTLY_ONCE, Guarantee.class);
        return new DispatcherConfig(
                values.flag("outbox.dispatcher.enabled", true),
                values.duration(
                        "outbox.dispatcher.interval",
                        Duration.ofSeconds(5),
                        Duration.ofMillis(100),
                        Duration.ofDays(1)),
                values.integer("outbox.dispatcher.batch-size", 500, 1, 10_000),
                values.integer("outbox.dispatcher.batch-max-bytes", 4_194_304, 1, 256 * 1_048_576),
                values.integer("outbox.dispatcher.max-partitions", Math.max(1, partitions / 4), 1, partitions),
                values.integer("outbox.dispatcher.concurrency", 2, 1, 64),
                delivery,
                shadowDestination(destinations),
                lease(delivery));
    }

    /**
     * A lease may expire while its node still sends, and another node sends the same messages: only at-least-once
     * allows such duplicates.
     */
    private Duration lease(Guarantee delivery) {
        ClaimBy claim = values.choice("outbox.dispatcher.claim", ClaimBy.LOCK, ClaimBy.class);
        Duration lease = values.duration(
                "outbox.dispatcher.lease", Duration.ofMinutes(1), Duration.ofSeconds(5), Duration.ofDays(1));
        if (claim == ClaimBy.LOCK) {
            return null;
        }
        if (delivery != Guarantee.AT_LEAST_ONCE) {
            values.wrong(
                    "outbox.dispatcher.claim", "lease", "lock, or outbox.dispatcher.delivery=at-least-once beside it");
        }
        return lease;
    }

    private String shadowDestination(Set<String> destinations) {
        String key = "outbox.dispatcher.shadow-destination";
        String shadow = values.text(key, "");
        if (shadow.isEmpty()) {
            return null;
        }
        if (!shadow.equals(DispatcherConfig.DISCARD) && !destinations.contains(shadow)) {
            values.wrong(key, shadow, DispatcherConfig.DISCARD + " or one of " + destinations);
        }
        return shadow;
    }

    private RetryConfig retry() {
        Duration base = values.duration(
                "outbox.retry.base-delay", Duration.ofSeconds(1), Duration.ofMillis(1), Duration.ofDays(1));
        Duration max = values.duration(
                "outbox.retry.max-delay", Duration.ofMinutes(10), Duration.ofMillis(1), Duration.ofDays(1));
        if (max.compareTo(base) < 0) {
            values.wrong("outbox.retry.max-delay", max, "at least outbox.retry.base-delay, which is " + base);
        }
        return new RetryConfig(
                values.integer("outbox.retry.max-attempts", 10, 1, 1_000_000),
                base,
                values.number("outbox.retry.multiplier", 2, 1, 100),
                max,
                values.number("outbox.retry.jitter", 0.25, 0, 1),
                values.choice("outbox.retry.on-abandon", OnAbandon.SKIP, OnAbandon.class) == OnAbandon.BLOCK);
    }

    private RetentionConfig retention() {
        RetentionConfig fallback = RetentionConfig.DEFAULT;
        return new RetentionConfig(
                values.duration("outbox.retention.published", fallback.published(), Duration.ZERO, NEVER),
                values.duration("outbox.retention.abandoned", fallback.abandoned(), Duration.ZERO, NEVER),
                values.choice("outbox.retention.mode", fallback.mode(), Mode.class),
                values.choice("outbox.retention.payload", fallback.payload(), Payload.class));
    }

    private InboxConfig inbox() {
        return new InboxConfig(
                values.choice("outbox.inbox.missing-id", MissingId.JMS_MESSAGE_ID, MissingId.class),
                values.duration("outbox.retention.inbox", Duration.ofDays(7), Duration.ofMinutes(1), NEVER));
    }

    private HealthConfig health() {
        return new HealthConfig(
                values.duration("outbox.health.max-age", null, Duration.ofSeconds(1), NEVER),
                values.integer("outbox.health.max-pending", null, 1, OutboxBacklog.CAP - 1));
    }

    private ConsoleConfig console() {
        return new ConsoleConfig(
                values.flag("outbox.console.enabled", false),
                values.matching(
                        "outbox.console.path",
                        "/outbox",
                        "(/[A-Za-z0-9._~-]{1,64}){1,8}",
                        "a path such as /outbox or /admin/outbox, of letters, digits and . _ ~ -"));
    }

    private JmsConfig jms() {
        String application = values.text("outbox.application", module);
        return new JmsConfig(
                values.flag("outbox.jms.cloudevents", false),
                source("/"
                        + URLEncoder.encode(application, StandardCharsets.UTF_8).replace("+", "%20")),
                values.flag("outbox.jms.record-message-id", false));
    }

    private String source(String fallback) {
        String key = "outbox.jms.cloudevents.source";
        String source = values.text(key, fallback);
        try {
            return new URI(source).toString();
        } catch (URISyntaxException wrong) {
            values.wrong(key, source, "a URI reference, for example /shop or https://shop.example");
            return fallback;
        }
    }

    private Map<String, DestinationConfig> destinations() {
        Set<String> logical = new TreeSet<>();
        logical.add(OutboxConfig.DEFAULT_DESTINATION);
        for (String name : names) {
            if (name.startsWith(DESTINATIONS) && name.lastIndexOf('.') > DESTINATIONS.length()) {
                logical.add(name.substring(DESTINATIONS.length(), name.lastIndexOf('.')));
            }
        }
        Map<String, DestinationConfig> destinations = new TreeMap<>();
        for (String name : logical) {
            destinations.put(name, destination(name));
        }
        return destinations;
    }

    private DestinationConfig destination(String name) {
        String key = DESTINATIONS + name;
        if (name.length() > 64) {
            values.wrong(key, name, "a name of at most 64 characters");
        }
        if (name.indexOf('/') >= 0) {
            values.wrong(key, name, "a name without a slash: what stands before one is the name of an outbox");
        }
        if (name.equals(DispatcherConfig.DISCARD)) {
            values.wrong(key, name, "another name: this one stands for nowhere");
        }
        boolean isDefault = name.equals(OutboxConfig.DEFAULT_DESTINATION);
        String jndi = values.text(key + ".jndi", isDefault ? "jms/outbox" : "");
        if (jndi.isEmpty()) {
            values.wrong(key + ".jndi", "", "the JNDI name of a queue or topic");
        }
        return new DestinationConfig(
                jndi,
                values.text(key + ".connection-factory", "java:comp/DefaultJMSConnectionFactory"),
                values.duration(key + ".time-to-live", Duration.ZERO, Duration.ZERO, NEVER),
                values.choice(key + ".group-id", GroupId.KEY, GroupId.class) == GroupId.KEY,
                values.flag(key + ".external", false));
    }

    private Map<String, List<String>> routes(Set<String> destinations) {
        Map<String, List<String>> routes = new TreeMap<>();
        for (String key : names) {
            if (key.startsWith(ROUTES)) {
                List<String> targets = new ArrayList<>();
                for (String target :
                        values.text(key, OutboxConfig.DEFAULT_DESTINATION).split(",")) {
                    if (!destinations.contains(target.strip())) {
                        values.wrong(key, target.strip(), "one or more of " + destinations + ", comma-separated");
                    } else if (!targets.contains(target.strip())) {
                        targets.add(target.strip());
                    }
                }
                routes.put(key.substring(ROUTES.length()), List.copyOf(targets));
            }
        }
        return routes;
    }

    private enum OnAbandon {
        SKIP,
        BLOCK
    }

    private enum GroupId {
        KEY,
        NONE
    }
}
