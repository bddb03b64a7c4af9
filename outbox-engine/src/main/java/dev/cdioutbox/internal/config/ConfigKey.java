package dev.cdioutbox.internal.config;

import static dev.cdioutbox.internal.config.ValueType.FLAG;
import static dev.cdioutbox.internal.config.ValueType.durations;
import static dev.cdioutbox.internal.config.ValueType.either;
import static dev.cdioutbox.internal.config.ValueType.integers;
import static dev.cdioutbox.internal.config.ValueType.matching;
import static dev.cdioutbox.internal.config.ValueType.oneOf;
import static dev.cdioutbox.internal.config.ValueType.text;
import static dev.cdioutbox.internal.config.ValueType.zeroOrDurations;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.spi.DestinationId;

/**
 * A configuration key: its name, default and values, whether a destination may have its own value, and when a new value
 * takes effect. The constants are all keys. A test makes the tables of docs/configuration.md from them and from their
 * Javadoc.
 *
 * @param defaultText null if there is none, or if it depends on other keys
 */
public record ConfigKey<T>(String name, String defaultText, ValueType<T> type, Scope scope, Effect effect) {
    /** All begin so. */
    static final String PREFIX = "outbox.";

    static final String DESTINATIONS = PREFIX + "destinations.";
    /** What stands for the name of a destination. */
    static final String NAME = "<name>";

    /** What stands for the name of a property. */
    static final String PROPERTY = "<property>";

    private static final List<ConfigKey<?>> ALL = new ArrayList<>();
    /** The longest duration of most keys: ten years. */
    private static final String NEVER = "P3650D";

    /**
     * JNDI name of the JTA DataSource. Use the DataSource of your persistence unit, with the same isolation level and
     * user, so that the outbox and your entities <a
     * href="howto/ordering.md#2-write-the-aggregates-row-in-the-same-transaction">share one branch</a> of the
     * transaction
     */
    public static final ConfigKey<String> DATA_SOURCE =
            atStart("datasource", "java:comp/DefaultDataSource", text("the JNDI name of a DataSource"));

    /**
     * {@code create}: missing tables are created. {@code validate}: the deployment fails if tables are missing. Either
     * way, the deployment fails if existing tables have <a href="databases.md#versions">a different version or
     * shape</a>. {@code none}: events are refused until <a
     * href="howto/flyway-liquibase.md#flyway-inside-the-application">the tables exist</a>
     */
    static final ConfigKey<SchemaMode> SCHEMA = atStart("schema", "create", oneOf(SchemaMode.class));

    /**
     * Prefix of the table names: up to 16 letters, digits and underscores, not starting with a digit. The name of an
     * existing schema (MariaDB and MySQL: database) may precede it, as in {@code app.outbox_}
     */
    static final ConfigKey<String> TABLE_PREFIX = atStart(
            "table-prefix",
            "outbox_",
            matching(
                    "([A-Za-z_][A-Za-z0-9_]{0,62}\\.)?[A-Za-z_][A-Za-z0-9_]{0,15}",
                    "up to 16 letters, digits and underscores, not starting with a digit; the name of a database schema and"
                            + " a dot may stand before"));

    /**
     * 1 to 64 characters. <a href="#the-name-of-the-application">Modules</a> with the same value and the same tables
     * share messages and inbox ({@code OBX-0220}). Modules with different values share nothing. If you change the
     * value, stored messages are left behind ({@code OBX-0309})
     */
    static final ConfigKey<String> APPLICATION =
            atStart("application", null, matching("[^\\p{Cc}\\p{Cf}]{1,64}", "1 to 64 visible characters"));

    /**
     * Number of <a href="guarantees.md#fairness-between-keys-and-destinations">partitions</a> of each destination. The
     * number is fixed when the partitions are created ({@code OBX-0306})
     */
    static final ConfigKey<Integer> PARTITIONS = atStart("partitions", "64", integers(1, 1024));

    /**
     * What happens to events that are fired outside a JTA transaction. {@code reject}: the event is refused ({@code
     * OBX-0101}). {@code own-transaction}: the event is stored in a separate transaction
     */
    static final ConfigKey<Boolean> OUTSIDE_TRANSACTION =
            atStart("outside-transaction", "reject", either("reject", "own-transaction"));

    /**
     * Maximum size of the payload and headers of an event, in bytes (UTF-8). {@code fire()} refuses a larger event
     * ({@code OBX-0109})
     */
    static final ConfigKey<Integer> MAX_PAYLOAD = atStart("payload.max-size", "1048576", integers(1, 64 * 1_048_576));

    /**
     * {@code row-lock}: the lock on the business row keeps a key's messages in commit order. {@code strict}: the outbox
     * takes a lock for each key. Use {@code strict} <a href="capture.md#order">if no business row is written for the
     * key</a>
     */
    static final ConfigKey<Ordering> ORDERING = atStart("ordering", "row-lock", oneOf(Ordering.class));

    /**
     * Transport that sends the messages: {@code jms}, {@code kafka}, {@code cdc} for <a href="howto/cdc.md">change data
     * capture</a>, or the name of <a href="howto/kafka.md#another-broker">another publisher</a>. <a
     * href="handlers.md">Handlers</a> do not need this setting
     */
    static final ConfigKey<String> TRANSPORT =
            key("transport", DestinationConfig.JMS, text("a transport"), Scope.DESTINATION_TOO, Effect.AT_START);

    /**
     * With {@code kafka}: any property of <a href="howto/kafka.md">Kafka's producer</a>, and {@code marker.topic},
     * which {@code exactly-once} needs. {@code bootstrap.servers} is required. With {@code cdc}: the properties with
     * which the connector's producer connects. The outbox needs them to <a
     * href="howto/cdc.md#a-record-that-stops-the-connector">inspect the topics</a>
     */
    static final ConfigKey<String> KAFKA = key(
            "kafka." + PROPERTY, null, text("a property of Kafka's producer"), Scope.DESTINATION_TOO, Effect.AT_START);

    /** With {@code cdc}: the name of the replication slot and of the publication */
    static final ConfigKey<String> CDC_SLOT = atStart(
            "cdc.slot", "outbox", matching("[a-z0-9_]{1,63}", "1 to 63 lower-case letters, digits and underscores"));

    /** With {@code kafka} or {@code cdc}: the name of a Kafka topic */
    static final ConfigKey<String> TOPIC = destination("topic", null, text("the name of a topic"));

    /** JNDI name of a queue or topic. It is required with {@code jms}, except for {@code default} */
    public static final ConfigKey<String> JNDI =
            destination("jndi", "jms/outbox", text("the JNDI name of a queue or topic"));

    /**
     * JNDI name of an XA connection factory. A factory that <a
     * href="guarantees.md#a-connection-factory-that-no-container-manages">does not join JTA transactions</a> needs
     * {@code at-least-once}
     */
    static final ConfigKey<String> CONNECTION_FACTORY = destination(
            "connection-factory",
            "java:comp/DefaultJMSConnectionFactory",
            text("the JNDI name of a connection factory"));

    /**
     * JMS time to live of the messages. If a message has <a href="capture.md#headers-and-metadata">its own time to
     * live</a>, the one that ends earlier applies. {@code PT0S}: messages do not expire
     */
    static final ConfigKey<Duration> TIME_TO_LIVE = destination("time-to-live", "PT0S", durations("PT0S", NEVER));

    /** {@code key}: {@code JMSXGroupID} is the key of the message. {@code none}: {@code JMSXGroupID} is not set */
    static final ConfigKey<Boolean> UNGROUPED = destination("group-id", "key", either("key", "none"));

    /**
     * {@code true}: other parties read the destination, so its messages contain only <a
     * href="capture.md#headers-and-metadata">the event and external headers</a>
     */
    static final ConfigKey<Boolean> EXTERNAL =
            key("destinations.<name>.external", "false", FLAG, Scope.DESTINATION, Effect.AT_START);

    /**
     * The destination that gets <a href="howto/poison-messages.md#dead-letter-copies">a copy</a> of each abandoned
     * or expired message
     */
    static final ConfigKey<String> DEAD_LETTER =
            key("destinations.<name>.dead-letter", null, text("a destination"), Scope.DESTINATION, Effect.AT_START);

    /**
     * One or more destinations, comma-separated, for an <a href="#destinations-and-routes">event type</a>. {@code
     * local} stands for <a href="handlers.md#events-that-stay-inside">only the handlers of the event type</a>. A {@code
     * destination} in the annotation overrides the route
     */
    static final ConfigKey<String> ROUTES = atStart("routes.<event type>", "default", text("one or more destinations"));

    /** {@code false}: <a href="tasks.md#stop-sending-for-an-hour">nothing is sent</a>, but events are still stored */
    static final ConfigKey<Boolean> ENABLED = each("dispatcher.enabled", "true", FLAG);

    /**
     * Interval at which each destination is polled for messages that another node has stored or an operator has
     * requeued. Each poll also retries a delivery that has failed without a charge
     */
    static final ConfigKey<Duration> INTERVAL = each("dispatcher.interval", "PT5S", durations("PT0.1S", "P1D"));

    /**
     * {@code exactly-once}: with JMS, one XA transaction sends a batch and marks it as published. With Kafka,
     * <a href="howto/kafka.md#exactly-once">markers</a> record what was sent. {@code at-least-once}: if a node crashes
     * right after a send, the batch is sent again
     */
    static final ConfigKey<Guarantee> DELIVERY = each("dispatcher.delivery", "exactly-once", oneOf(Guarantee.class));

    /**
     * {@code PT0S}: a node claims messages with row locks, which end with its database connection. Any other value: the
     * node uses <a href="#leases">leases</a> of this length, meant for a Galera cluster with {@code at-least-once}
     */
    static final ConfigKey<Duration> LEASE = each("dispatcher.lease", "PT0S", zeroOrDurations("PT5S", "P1D"));

    /** Maximum number of messages in a batch */
    static final ConfigKey<Integer> BATCH_SIZE = each("dispatcher.batch-size", "500", integers(1, 1000));

    /** Maximum size of the payloads and headers of a batch, in bytes. A larger message is sent in a separate batch */
    static final ConfigKey<Integer> BATCH_MAX_BYTES =
            each("dispatcher.batch-max-bytes", "4194304", integers(1, 256 * 1_048_576));

    /**
     * Maximum number of messages that <a href="tasks.md#limit-the-rate">each node sends</a> to a destination per second.
     * By default, there is no limit
     */
    public static final ConfigKey<Integer> RATE = each("dispatcher.rate", null, integers(1, 1_000_000));

    /** Number of batches that this node sends to each destination <a href="#several-batches-at-a-time">at a time</a> */
    static final ConfigKey<Integer> CONCURRENCY = each("dispatcher.concurrency", "2", integers(1, 64));

    /**
     * For a <a href="rollout.md">migration</a>: all messages are sent to this destination instead of their own, and are
     * marked. Both destinations need the same {@code delivery}. {@code discard}: the messages are marked but not sent
     */
    static final ConfigKey<String> SHADOW_DESTINATION =
            each("dispatcher.shadow-destination", null, text("a destination"));

    /** Number of <a href="#retry">charged</a> attempts after which a message is abandoned */
    static final ConfigKey<Integer> MAX_ATTEMPTS = each("retry.max-attempts", "10", integers(1, 1_000_000));

    /** Delay after the first charged attempt. The delay doubles with each further attempt */
    static final ConfigKey<Duration> BASE_DELAY = each("retry.base-delay", "PT1S", durations("PT0.001S", "P1D"));

    /** Longest delay between two attempts. It must be at least {@code base-delay} */
    static final ConfigKey<Duration> MAX_DELAY = each("retry.max-delay", "PT10M", durations("PT0.001S", "P1D"));

    /**
     * What happens to a key when one of its messages is abandoned. {@code skip}: its later messages are sent. {@code block}:
     * they wait until an operator <a href="howto/poison-messages.md#deal-with-it">retries or discards</a> the abandoned
     * message
     */
    static final ConfigKey<Boolean> BLOCK_ON_ABANDON = each("retry.on-abandon", "skip", either("skip", "block"));

    /**
     * JNDI name of <a href="#connections">a separate DataSource for dispatcher and purge</a>. It must lead to the same
     * tables ({@code OBX-0215}). A <a href="#several-outboxes">named outbox</a> does not inherit this setting
     */
    public static final ConfigKey<String> DISPATCHER_DATA_SOURCE =
            atStart("dispatcher.datasource", null, text("the JNDI name of a DataSource"));

    /**
     * Maximum number of partitions that one claim takes. A claim never takes more than 333, because databases limit the
     * parameters of a statement. <a href="howto/several-nodes-and-kubernetes.md#throughput">Other nodes and threads
     * take the rest</a>
     */
    static final ConfigKey<Integer> MAX_PARTITIONS = atOnce("dispatcher.max-partitions", null, integers(1, 1024));

    /** {@code true}: messages also carry the <a href="#cloudevents">CloudEvents</a> 1.0 attributes */
    static final ConfigKey<Boolean> CLOUD_EVENTS = atOnce("jms.cloudevents", "false", FLAG);

    /** Value of the {@code source} attribute, a URI reference */
    static final ConfigKey<String> CLOUD_EVENTS_SOURCE = atOnce(
            "jms.cloudevents.source",
            null,
            matching("[\\w.~:/?#\\[\\]@!$&'()*+,;=%-]+", "a URI reference, for example /shop or https://shop.example"));

    /** {@code true}: the {@code JMSMessageID} of a published message is stored in {@code broker_message_id} */
    static final ConfigKey<Boolean> RECORD_MESSAGE_ID = atOnce("jms.record-message-id", "false", FLAG);

    /**
     * Size of Liberty's messaging log, which <a href="#fragments-of-liberty-config">the fragment</a> sets. For
     * destinations with the default {@code connection-factory}, {@code fire()} refuses events that are larger than four
     * fifths of this log ({@code OBX-0540})
     */
    static final ConfigKey<Integer> MESSAGING_LOG =
            atStart("jms.messaging-log-megabytes", null, integers(1, 1_048_576));

    /**
     * Time for which a published, expired or discarded message is kept. {@code PT0S}: the message is deleted at once
     */
    static final ConfigKey<Duration> PUBLISHED = atOnce("retention.published", "PT72H", durations("PT0S", NEVER));

    /**
     * Time for which an abandoned message is kept after its last attempt. In any case, the message is kept for at least
     * {@code outbox.retention.published} after it was stored
     */
    static final ConfigKey<Duration> ABANDONED = atOnce("retention.abandoned", "P30D", durations("PT0S", NEVER));

    /** {@code delete}: old messages are deleted. {@code archive}: they are moved to {@code outbox_archive} */
    static final ConfigKey<Boolean> ARCHIVE = atOnce("retention.mode", "delete", either("delete", "archive"));

    /**
     * {@code keep}: the payload is kept as long as the message. {@code erase}: the payload is deleted when the message
     * is published or expires. The size of the payload ({@code payload_bytes}) and the headers are kept
     */
    static final ConfigKey<Boolean> ERASE = atOnce("retention.payload", "keep", either("keep", "erase"));

    /** <a href="consume.md#how-long-it-remembers">Time</a> for which the inbox recognizes a message that arrives again */
    static final ConfigKey<Duration> INBOX = atOnce("retention.inbox", "P7D", durations("PT1M", NEVER));

    /**
     * <a href="monitoring.md#health">{@code outbox-backlog}</a> is DOWN on all nodes while the age of the outbox's
     * oldest message, or the lag of its change data capture, is above this value
     */
    static final ConfigKey<Duration> MAX_BACKLOG_AGE = atOnce("health.max-age", null, durations("PT1S", NEVER));

    /** JNDI name of a queue that holds <a href="console.md#dead-letters-of-consumers">dead letters of consumers</a> */
    static final ConfigKey<String> DEAD_LETTERS =
            atStart("dead-letters." + NAME + ".jndi", null, text("the JNDI name of a queue"));

    /** JNDI name of an XA connection factory for the broker of this queue */
    static final ConfigKey<String> DEAD_LETTERS_FACTORY = atStart(
            "dead-letters." + NAME + ".connection-factory",
            "java:comp/DefaultJMSConnectionFactory",
            text("the JNDI name of a connection factory"));

    /** {@code true}: registers <a href="console.md">the console</a> */
    static final ConfigKey<Boolean> CONSOLE_ENABLED = atStart("console.enabled", "false", FLAG);

    /**
     * Path of the console below the context root, such as {@code /admin/outbox}. It may contain letters, digits and
     * {@code . _ ~ -}
     */
    static final ConfigKey<String> CONSOLE_PATH = atStart(
            "console.path",
            "/outbox",
            matching(
                    "(/[A-Za-z0-9._~-]{1,64}){1,8}",
                    "a path such as /outbox or /admin/outbox, of letters, digits and . _ ~ -"));

    /**
     * Comma-separated JSON pointers to the values in payloads that <a href="console.md#masks">the console masks</a>,
     * such as {@code /iban, /customer/name}. The step {@code *} stands for every member of an object and every element
     * of an array
     */
    static final ConfigKey<String> CONSOLE_MASK = atStart(
            "console.mask",
            null,
            matching("(\\s*/[^,]*)(,\\s*/[^,]*)*", "JSON pointers, which begin with a slash, separated by commas"));

    /** What a value applies to. */
    enum Scope {
        /** The whole outbox. */
        OUTBOX,
        /** All destinations that have no value of their own, which has {@code destinations.<name>.} in its key. */
        DESTINATION_TOO,
        /** One destination. */
        DESTINATION
    }

    /** When a new value takes effect. */
    enum Effect {
        AT_ONCE,
        AT_START
    }

    /** For the outbox; a new value takes effect at start. */
    private static <T> ConfigKey<T> atStart(String name, String defaultText, ValueType<T> type) {
        return key(name, defaultText, type, Scope.OUTBOX, Effect.AT_START);
    }

    /** For the outbox; a new value takes effect at once. */
    private static <T> ConfigKey<T> atOnce(String name, String defaultText, ValueType<T> type) {
        return key(name, defaultText, type, Scope.OUTBOX, Effect.AT_ONCE);
    }

    /** For all destinations, or for one. */
    private static <T> ConfigKey<T> each(String name, String defaultText, ValueType<T> type) {
        return key(name, defaultText, type, Scope.DESTINATION_TOO, Effect.AT_ONCE);
    }

    /** For one destination. */
    private static <T> ConfigKey<T> destination(String name, String defaultText, ValueType<T> type) {
        return key("destinations." + NAME + "." + name, defaultText, type, Scope.DESTINATION, Effect.AT_ONCE);
    }

    private static <T> ConfigKey<T> key(
            String name, String defaultText, ValueType<T> type, Scope scope, Effect effect) {
        ConfigKey<T> key = new ConfigKey<>(PREFIX + name, defaultText, type, scope, effect);
        ALL.add(key);
        return key;
    }

    static List<ConfigKey<?>> all() {
        return Collections.unmodifiableList(ALL);
    }

    /** The default; null if there is none, or if it depends on other keys. */
    T fallback() {
        return defaultText == null ? null : type.parser().apply(defaultText);
    }

    /** The name for one destination, or for one dead letter queue; for all destinations with null. */
    String of(String destination) {
        if (destination == null) {
            return name;
        }
        return name.contains(NAME)
                ? name.replace(NAME, destination)
                : DESTINATIONS + destination + "." + name.substring(PREFIX.length());
    }

    /** The name for one destination, as it is set for its outbox alone. */
    public String of(DestinationId destination) {
        return OutboxProperties.prefix(destination.outbox())
                + of(destination.name()).substring(PREFIX.length());
    }

    /** The name, as a user writes it. */
    @Override
    public String toString() {
        return name;
    }
}
