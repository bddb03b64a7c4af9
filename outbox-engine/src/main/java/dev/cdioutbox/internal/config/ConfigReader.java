package dev.cdioutbox.internal.config;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.cdioutbox.internal.code.Lines;
import dev.cdioutbox.internal.code.OneLine;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig.CaptureConfig;
import dev.cdioutbox.internal.config.OutboxConfig.ConsoleConfig;
import dev.cdioutbox.internal.config.OutboxConfig.Dispatch;
import dev.cdioutbox.internal.config.OutboxProperties.Reading;
import dev.cdioutbox.internal.config.StoreConfig.Cdc;
import dev.cdioutbox.internal.deadletter.DeadLetterQueue;
import dev.cdioutbox.internal.transport.MessageOptions;
import dev.cdioutbox.internal.transport.TopicLimits;

/** Turns properties into a snapshot, or throws one message that names every wrong key. */
public final class ConfigReader {
    static final String BOOTSTRAP_SERVERS = "bootstrap.servers";
    private static final String TRANSACTION_TIMEOUT = "transaction.timeout.ms";
    /** The marker topic waits for 40 s: for this and for the time in which a broker notices that it is over. */
    private static final int LONGEST_TRANSACTION = 30_000;

    private static final String MAX_REQUEST_SIZE = "max.request.size";
    private static final String ROUTES = ConfigKey.ROUTES.toString().replaceFirst("<.*", "");

    /** Keys that can make a destination or route. They take effect at once if it was there at the start. */
    private static final Set<ConfigKey<?>> NAMING = Set.of(ConfigKey.JNDI, ConfigKey.TOPIC, ConfigKey.ROUTES);

    /** What these names stand for is no destination. */
    private static final Set<String> RESERVED = Set.of(DispatcherConfig.DISCARD, DestinationConfig.LOCAL);

    private final OutboxProperties properties;
    private final String module;
    private final Map<String, List<String>> handlers;

    /**
     * Reads the keys of one outbox.
     *
     * @param module the name of the deployed module, the default of outbox.application
     * @param handlers the event types of each handler, by the name of its destination
     */
    public ConfigReader(OutboxProperties properties, String module, Map<String, List<String>> handlers) {
        this.properties = properties;
        this.module = module;
        this.handlers = handlers;
    }

    /**
     * Reads a snapshot.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0201 with every wrong key, its value and the allowed values
     */
    public OutboxConfig read() {
        Map<String, DestinationConfig> destinations = destinations();
        StoreConfig store = store(destinations);
        Dispatch dispatch = dispatch(null, store.partitions(), destinations.keySet());
        Map<String, List<String>> routes = routes(destinations.keySet());
        checkDeadLetters(destinations);
        checkCdc(store.cdc().destinations());
        checkConsole();
        OutboxConfig config = new OutboxConfig(
                properties.outbox(),
                store,
                new CaptureConfig(
                        properties.get(ConfigKey.OUTSIDE_TRANSACTION),
                        properties.get(ConfigKey.MAX_PAYLOAD),
                        properties.get(ConfigKey.MESSAGING_LOG)),
                destinations,
                routes,
                dispatch.dispatcher(),
                dispatch.retry(),
                retention(),
                properties.get(ConfigKey.INBOX),
                properties.get(ConfigKey.MAX_BACKLOG_AGE),
                new ConsoleConfig(
                        properties.get(ConfigKey.CONSOLE_ENABLED),
                        properties.get(ConfigKey.CONSOLE_PATH),
                        deadLetters(),
                        mask()),
                jms(store.application()),
                ofEach(destinations, store.partitions()),
                handlers);
        if (!properties.problems().isEmpty()) {
            throw OutboxCode.BAD_CONFIGURATION.exception(new Lines(properties.problems().stream()
                    .map(problem -> System.lineSeparator() + "  " + OneLine.of(problem))
                    .collect(Collectors.joining())));
        }
        return config;
    }

    /** Finds keys that are set but have no effect, each with a similar known key. Call {@link #read()} first. */
    public List<String> unknown() {
        return properties.unread();
    }

    /**
     * Finds the keys that are read at start only, and now have another value. What is new or removed counts too: an outbox,
     * a destination, a route, a queue of dead letters, a property of Kafka's client.
     *
     * @param start the reader at start; both readers have read a snapshot
     */
    public List<String> changedSince(ConfigReader start) {
        Map<String, Reading> now = properties.readings();
        Map<String, Reading> then = start.properties.readings();
        Stream<String> changed = Stream.of(now, then)
                .flatMap(readings -> readings.keySet().stream())
                .filter(name -> needsRestart(now.get(name), then.get(name)))
                .map(properties::spelled);
        Stream<String> ofOutboxes = Stream.concat(
                properties.ofOutboxesMissingIn(start.properties).stream(),
                start.properties.ofOutboxesMissingIn(properties).stream());
        return Stream.concat(changed, ofOutboxes).distinct().sorted().toList();
    }

    private static boolean needsRestart(Reading now, Reading then) {
        if (now == null || then == null) {
            Reading only = now == null ? then : now;
            return only.isSet() && (only.key().effect() == ConfigKey.Effect.AT_START || NAMING.contains(only.key()));
        }
        return now.key().effect() == ConfigKey.Effect.AT_START && !Objects.equals(now.value(), then.value());
    }

    private StoreConfig store(Map<String, DestinationConfig> destinations) {
        if (properties.isInherited(ConfigKey.DATA_SOURCE)) {
            properties.wrong(
                    properties.mine(ConfigKey.DATA_SOURCE.toString()), "", "the JNDI name of this outbox's DataSource");
        }
        return new StoreConfig(
                properties.get(ConfigKey.DATA_SOURCE),
                properties.get(ConfigKey.SCHEMA),
                properties.get(ConfigKey.TABLE_PREFIX),
                properties.getOr(ConfigKey.APPLICATION, module),
                properties.get(ConfigKey.PARTITIONS),
                properties.get(ConfigKey.ORDERING),
                // A named outbox does not inherit this key, because its tables are in another database.
                properties.getOwn(ConfigKey.DISPATCHER_DATA_SOURCE),
                new Cdc(captured(destinations), properties.get(ConfigKey.CDC_SLOT)));
    }

    private Map<String, TopicLimits> captured(Map<String, DestinationConfig> destinations) {
        Map<String, TopicLimits> topics = new TreeMap<>();
        destinations.forEach((name, destination) -> {
            if (destination.isCdc()) {
                topics.put(name, new TopicLimits(largest(name, destination.client()), false));
            }
        });
        return topics;
    }

    private long largest(String name, Map<String, String> client) {
        String text = client.getOrDefault(MAX_REQUEST_SIZE, String.valueOf(TopicLimits.DEFAULT));
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            properties.wrong(kafka(name, MAX_REQUEST_SIZE), text, "a number of bytes");
            return TopicLimits.DEFAULT;
        }
    }

    private static String kafka(String name, String property) {
        return ConfigKey.KAFKA.of(name).replace(ConfigKey.PROPERTY, property);
    }

    /** Refuses what needs a dispatcher, so that nobody relies on a key without an effect. */
    private void checkCdc(Set<String> destinations) {
        destinations.forEach(name -> ConfigKey.all().stream()
                .filter(ConfigReader::needsDispatcher)
                .map(key -> key.of(name))
                .filter(key -> !properties.text(key).isEmpty())
                .forEach(key -> properties.wrong(
                        key, properties.text(key), "no value with transport=cdc, which sends without the dispatcher")));
        String ofAll = "%s, since %s with transport=cdc cannot follow it";
        if (!destinations.isEmpty() && properties.get(ConfigKey.SHADOW_DESTINATION) != null) {
            String shadow = ConfigKey.SHADOW_DESTINATION.toString();
            properties.wrong(shadow, properties.text(shadow), ofAll.formatted("no value", destinations));
        }
        if (!destinations.isEmpty() && properties.get(ConfigKey.ERASE)) {
            properties.wrong(ConfigKey.ERASE.toString(), "erase", ofAll.formatted("keep", destinations));
        }
    }

    /** Refuses what only the default outbox can have, so that nobody relies on a key without an effect. */
    private void checkConsole() {
        if (!properties.outbox().equals(OutboxConfig.DEFAULT_OUTBOX)) {
            Stream.of(ConfigKey.CONSOLE_ENABLED, ConfigKey.CONSOLE_PATH)
                    .filter(key -> !properties.isInherited(key))
                    .map(ConfigKey::toString)
                    .forEach(key -> properties.wrong(
                            key,
                            properties.text(key),
                            "no value, since the application has one console for all outboxes: set " + key));
        }
    }

    private static boolean needsDispatcher(ConfigKey<?> key) {
        return key == ConfigKey.TIME_TO_LIVE
                || key == ConfigKey.DEAD_LETTER
                || key.scope() == ConfigKey.Scope.DESTINATION_TOO
                        && key != ConfigKey.TRANSPORT
                        && key != ConfigKey.KAFKA;
    }

    /** The settings of each destination that has a dispatcher: its own keys, and the global ones as their defaults. */
    private Map<String, Dispatch> ofEach(Map<String, DestinationConfig> destinations, int partitions) {
        Set<String> dispatched = destinations.keySet().stream()
                .filter(name -> !destinations.get(name).isCdc())
                .collect(Collectors.toCollection(TreeSet::new));
        Map<String, Dispatch> all = new TreeMap<>();
        dispatched.forEach(name -> all.put(name, dispatch(name, partitions, dispatched)));
        all.forEach((name, own) -> {
            Dispatch target = all.get(own.dispatcher().targetOf(name));
            if (target != null
                    && target.dispatcher().delivery() != own.dispatcher().delivery()) {
                properties.wrong(
                        properties.name(ConfigKey.SHADOW_DESTINATION, name),
                        own.dispatcher().shadowDestination(),
                        "a destination with the same delivery, which is "
                                + own.dispatcher().delivery());
            }
        });
        return all;
    }

    /** @param destination null for the settings of all destinations that have none of their own */
    private Dispatch dispatch(String destination, int partitions, Set<String> destinations) {
        return new Dispatch(dispatcher(destination, partitions, destinations), retry(destination));
    }

    private DispatcherConfig dispatcher(String destination, int partitions, Set<String> destinations) {
        return new DispatcherConfig(
                properties.get(ConfigKey.ENABLED, destination),
                properties.get(ConfigKey.INTERVAL, destination),
                properties.get(ConfigKey.BATCH_SIZE, destination),
                properties.get(ConfigKey.BATCH_MAX_BYTES, destination),
                properties.get(ConfigKey.RATE, destination),
                properties.getOr(ConfigKey.MAX_PARTITIONS, Math.max(1, partitions / 4)),
                properties.get(ConfigKey.CONCURRENCY, destination),
                properties.get(ConfigKey.DELIVERY, destination),
                shadowDestination(destination, destinations),
                lease(destination));
    }

    /**
     * A lease may expire while its node still sends, and another node sends the same messages: only at-least-once
     * allows such duplicates.
     */
    private Duration lease(String destination) {
        Duration lease = properties.get(ConfigKey.LEASE, destination);
        if (lease.isZero()) {
            return null;
        }
        if (properties.get(ConfigKey.DELIVERY, destination) == Guarantee.EXACTLY_ONCE) {
            properties.wrong(
                    properties.name(ConfigKey.LEASE, destination),
                    lease,
                    "PT0S; or a lease, with " + properties.name(ConfigKey.DELIVERY, destination) + "="
                            + Guarantee.AT_LEAST_ONCE);
        }
        return lease;
    }

    private String shadowDestination(String destination, Set<String> destinations) {
        String shadow = properties.get(ConfigKey.SHADOW_DESTINATION, destination);
        if (shadow != null
                && !shadow.equals(DispatcherConfig.DISCARD)
                && !withoutHandlers(destinations).contains(shadow)) {
            properties.wrong(
                    properties.name(ConfigKey.SHADOW_DESTINATION, destination),
                    shadow,
                    DispatcherConfig.DISCARD + " or one of " + withoutHandlers(destinations));
        }
        return shadow;
    }

    /** A handler gets the events of its types, and no others. */
    private Set<String> withoutHandlers(Set<String> destinations) {
        Set<String> others = new TreeSet<>(destinations);
        others.removeAll(handlers.keySet());
        return others;
    }

    private RetryConfig retry(String destination) {
        Duration base = properties.get(ConfigKey.BASE_DELAY, destination);
        Duration max = properties.get(ConfigKey.MAX_DELAY, destination);
        if (max.compareTo(base) < 0) {
            properties.wrong(
                    properties.name(ConfigKey.MAX_DELAY, destination),
                    max,
                    "at least " + properties.name(ConfigKey.BASE_DELAY, destination) + ", which is " + base);
        }
        return new RetryConfig(
                properties.get(ConfigKey.MAX_ATTEMPTS, destination),
                base,
                max,
                properties.get(ConfigKey.BLOCK_ON_ABANDON, destination));
    }

    private RetentionConfig retention() {
        return new RetentionConfig(
                properties.get(ConfigKey.PUBLISHED),
                properties.get(ConfigKey.ABANDONED),
                properties.get(ConfigKey.ARCHIVE),
                properties.get(ConfigKey.ERASE));
    }

    private MessageOptions jms(String application) {
        String source =
                "/" + URLEncoder.encode(application, StandardCharsets.UTF_8).replace("+", "%20");
        return new MessageOptions(
                properties.get(ConfigKey.CLOUD_EVENTS),
                properties.getOr(ConfigKey.CLOUD_EVENTS_SOURCE, source),
                properties.get(ConfigKey.RECORD_MESSAGE_ID));
    }

    private Map<String, DestinationConfig> destinations() {
        Map<String, DestinationConfig> destinations = new TreeMap<>();
        Set<String> names = new TreeSet<>(properties.destinations());
        names.addAll(handlers.keySet());
        if (!staysInside()) {
            names.add(OutboxConfig.DEFAULT_DESTINATION);
        }
        names.forEach(name -> destinations.put(name, destination(name)));
        return destinations;
    }

    /** Whether events without another route go to handlers only, so that nothing is sent to the default destination. */
    private boolean staysInside() {
        return properties.text(ROUTES + "*").strip().equals(DestinationConfig.LOCAL);
    }

    private DestinationConfig destination(String name) {
        if (!DestinationConfig.isName(name) || RESERVED.contains(name)) {
            properties.wrong(
                    ConfigKey.DESTINATIONS + name,
                    name,
                    "a name of at most 64 visible characters without a slash, and not discard or local");
        }
        if (handlers.containsKey(name)) {
            return handler(name);
        }
        String transport = properties.get(ConfigKey.TRANSPORT, name);
        if (transport.equals(DestinationConfig.LOCAL)) {
            properties.wrong(
                    properties.name(ConfigKey.TRANSPORT, name),
                    transport,
                    "another transport, since an @OutboxHandler needs none: a route sends events to handlers alone, for example"
                            + " outbox.routes.*=local");
        }
        return switch (transport) {
            case DestinationConfig.KAFKA -> kafkaDestination(name);
            case DestinationConfig.CDC -> topic(name, transport, null, kafkaClient(name));
            default -> jndiDestination(name, transport);
        };
    }

    private DestinationConfig handler(String name) {
        // Its messages would have another receiver than before.
        Stream.of(ConfigKey.TRANSPORT, ConfigKey.JNDI, ConfigKey.TOPIC)
                .map(key -> key.of(name))
                .filter(key -> !properties.text(key).isEmpty())
                .forEach(key -> properties.wrong(
                        key, properties.text(key), "no value, because an @OutboxHandler has this name"));
        return new DestinationConfig(
                DestinationConfig.LOCAL,
                null,
                null,
                Duration.ZERO,
                true,
                false,
                properties.get(ConfigKey.DEAD_LETTER, name),
                Map.of());
    }

    private DestinationConfig topic(String name, String transport, String deadLetter, Map<String, String> client) {
        String key = ConfigKey.TOPIC.of(name);
        String topic = properties.read(ConfigKey.TOPIC, key, name);
        if (!TopicLimits.isName(topic)) {
            properties.wrong(key, topic, "1 to 249 letters, digits, dots, underscores and hyphens, for Kafka");
        }
        return new DestinationConfig(
                transport,
                topic,
                null,
                Duration.ZERO,
                true,
                properties.get(ConfigKey.EXTERNAL, name),
                deadLetter,
                client);
    }

    private DestinationConfig kafkaDestination(String name) {
        Map<String, String> client = kafkaClient(name);
        if (!client.containsKey(BOOTSTRAP_SERVERS)) {
            properties.wrong(kafka(null, BOOTSTRAP_SERVERS), "", "hosts and ports of Kafka brokers, comma-separated");
        }
        String timeout = client.get(TRANSACTION_TIMEOUT);
        if (timeout != null
                && properties.get(ConfigKey.DELIVERY, name) == Guarantee.EXACTLY_ONCE
                && !(timeout.matches("\\d{1,5}") && Integer.parseInt(timeout) <= LONGEST_TRANSACTION)) {
            properties.wrong(
                    kafka(name, TRANSACTION_TIMEOUT),
                    timeout,
                    "at most " + LONGEST_TRANSACTION + " with " + Guarantee.EXACTLY_ONCE
                            + ", because a node waits for the transactions of a dead one");
        }
        return topic(name, DestinationConfig.KAFKA, properties.get(ConfigKey.DEAD_LETTER, name), client);
    }

    /** The properties of Kafka's client: those of the destination, and those of all destinations. */
    private Map<String, String> kafkaClient(String name) {
        Map<String, String> client = new TreeMap<>();
        Stream.of((String) null, name).map(owner -> kafka(owner, "")).forEach(prefix -> Stream.concat(
                        properties.namesWith(prefix),
                        // An environment variable is among the names in another spelling.
                        Stream.of(prefix + BOOTSTRAP_SERVERS))
                .forEach(key -> client.compute(
                        key.substring(prefix.length()),
                        (property, global) -> properties.read(ConfigKey.KAFKA, key, global))));
        return client;
    }

    private DestinationConfig jndiDestination(String name, String transport) {
        boolean isDefault = name.equals(OutboxConfig.DEFAULT_DESTINATION);
        String jndi =
                properties.read(ConfigKey.JNDI, ConfigKey.JNDI.of(name), isDefault ? ConfigKey.JNDI.fallback() : null);
        if (jndi == null && transport.equals(DestinationConfig.JMS)) {
            properties.wrong(
                    ConfigKey.JNDI.of(name),
                    "",
                    ConfigKey.JNDI.type().allowed() + ", or no key with another transport than jms");
        }
        return new DestinationConfig(
                transport,
                jndi,
                properties.get(ConfigKey.CONNECTION_FACTORY, name),
                properties.get(ConfigKey.TIME_TO_LIVE, name),
                !properties.get(ConfigKey.UNGROUPED, name),
                properties.get(ConfigKey.EXTERNAL, name),
                properties.get(ConfigKey.DEAD_LETTER, name),
                Map.of());
    }

    private List<String> mask() {
        String pointers = properties.get(ConfigKey.CONSOLE_MASK);
        return pointers == null
                ? List.of()
                : Arrays.stream(pointers.split(",")).map(String::strip).toList();
    }

    private Map<String, DeadLetterQueue> deadLetters() {
        Map<String, DeadLetterQueue> queues = new TreeMap<>();
        for (String name : properties.deadLetters()) {
            String jndi = properties.read(ConfigKey.DEAD_LETTERS, ConfigKey.DEAD_LETTERS.of(name), null);
            if (jndi == null) {
                properties.wrong(
                        ConfigKey.DEAD_LETTERS.of(name),
                        "",
                        ConfigKey.DEAD_LETTERS.type().allowed());
            }
            ConfigKey<String> factory = ConfigKey.DEAD_LETTERS_FACTORY;
            queues.put(
                    name,
                    new DeadLetterQueue(
                            isOwn(name) ? properties.outbox() : OutboxConfig.DEFAULT_OUTBOX,
                            name,
                            jndi,
                            properties.read(factory, factory.of(name), factory.fallback())));
        }
        return queues;
    }

    /** Whether a queue of dead letters differs from that of the default outbox. */
    private boolean isOwn(String queue) {
        return Stream.of(ConfigKey.DEAD_LETTERS, ConfigKey.DEAD_LETTERS_FACTORY)
                .map(key -> key.of(queue))
                .anyMatch(key -> properties.spelled(key).equals(properties.mine(key)));
    }

    private void checkDeadLetters(Map<String, DestinationConfig> destinations) {
        destinations.forEach((name, destination) -> {
            String target = destination.deadLetter();
            String allowed = target == null ? null : allowedDeadLetter(name, destinations);
            if (allowed != null) {
                properties.wrong(ConfigKey.DEAD_LETTER.of(name), target, allowed);
            }
        });
    }

    /** @return what is allowed in place of the dead-letter destination of this one; null if it is allowed */
    private String allowedDeadLetter(String name, Map<String, DestinationConfig> destinations) {
        DestinationConfig target = destinations.get(destinations.get(name).deadLetter());
        Set<String> allowed = withoutHandlers(destinations.keySet());
        if (target == null || !allowed.contains(destinations.get(name).deadLetter())) {
            return "one of " + allowed;
        }
        if (target.deadLetter() != null) {
            // Also the destination itself: dead letters would go in a circle.
            return "a destination without a dead-letter destination";
        }
        return target.external()
                ? "a destination that is not external, since the copies say why the messages were given up"
                : null;
    }

    private Map<String, List<String>> routes(Set<String> destinations) {
        Map<String, List<String>> routes = new TreeMap<>();
        Set<String> allowed = withoutHandlers(destinations);
        allowed.add(DestinationConfig.LOCAL);
        properties.namesWith(ROUTES).forEach(name -> {
            String text = properties.read(ConfigKey.ROUTES, name, OutboxConfig.DEFAULT_DESTINATION);
            List<String> targets =
                    Stream.of(text.split(",")).map(String::strip).distinct().toList();
            targets.stream()
                    .filter(target -> !allowed.contains(target))
                    .forEach(target ->
                            properties.wrong(name, target, "one or more of " + allowed + ", comma-separated"));
            routes.put(name.substring(ROUTES.length()), targets);
        });
        return routes;
    }
}
