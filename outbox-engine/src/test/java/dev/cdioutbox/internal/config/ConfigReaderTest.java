package dev.cdioutbox.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig.CaptureConfig;
import dev.cdioutbox.internal.config.OutboxConfig.ConsoleConfig;
import dev.cdioutbox.internal.config.OutboxConfig.Dispatch;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.deadletter.DeadLetterQueue;
import dev.cdioutbox.internal.transport.MessageOptions;
import dev.cdioutbox.internal.transport.TopicLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Guards that each setting has its documented default and limits, and that a wrong one fails the start with its key.
 */
class ConfigReaderTest {
    private static final String BROKER = "java:comp/DefaultJMSConnectionFactory";
    private static final DispatcherConfig DISPATCHER = new DispatcherConfig(
            true, Duration.ofSeconds(5), 500, 4_194_304, null, 16, 2, Guarantee.EXACTLY_ONCE, null, null);
    private static final RetryConfig RETRY = new RetryConfig(10, Duration.ofSeconds(1), Duration.ofMinutes(10), false);

    @Test
    void defaultsAreThoseOfTheContract() {
        assertThat(TestConfig.of())
                .isEqualTo(new OutboxConfig(
                        "default",
                        new StoreConfig(
                                "java:comp/DefaultDataSource",
                                SchemaMode.CREATE,
                                "outbox_",
                                "shop",
                                64,
                                Ordering.ROW_LOCK,
                                null,
                                new StoreConfig.Cdc(Map.of(), "outbox")),
                        new CaptureConfig(false, 1_048_576, null),
                        Map.of(
                                "default",
                                new DestinationConfig(
                                        "jms", "jms/outbox", BROKER, Duration.ZERO, true, false, null, Map.of())),
                        Map.of(),
                        DISPATCHER,
                        RETRY,
                        new RetentionConfig(Duration.ofHours(72), Duration.ofDays(30), false, false),
                        Duration.ofDays(7),
                        null,
                        new ConsoleConfig(false, "/outbox", Map.of(), List.of()),
                        new MessageOptions(false, "/shop", false),
                        Map.of("default", new Dispatch(DISPATCHER, RETRY)),
                        Map.of()));
    }

    @Test
    void destinationHasItsOwnSettingsAndTheGlobalOnesOtherwise() {
        OutboxConfig config = TestConfig.of(
                "outbox.dispatcher.batch-size", "7",
                "outbox.retry.max-attempts", "3",
                "outbox.destinations.slow.jndi", "jms/slow",
                "outbox.destinations.slow.dispatcher.enabled", "false",
                "outbox.destinations.slow.dispatcher.interval", "PT30S",
                "outbox.destinations.slow.dispatcher.delivery", "at-least-once",
                "outbox.destinations.slow.dispatcher.lease", "PT1M",
                "outbox.destinations.slow.dispatcher.concurrency", "1",
                "outbox.destinations.a.dotted.retry.jndi", "jms/a",
                "outbox.destinations.a.dotted.retry.retry.max-attempts", "5",
                "outbox.destinations.a.dotted.retry.retry.on-abandon", "block",
                "outbox.destinations.slow.dispatcher.rate", "100");

        assertThat(config.of("slow").dispatcher())
                .isEqualTo(new DispatcherConfig(
                        false,
                        Duration.ofSeconds(30),
                        7,
                        4_194_304,
                        100,
                        16,
                        1,
                        Guarantee.AT_LEAST_ONCE,
                        null,
                        Duration.ofMinutes(1)));
        assertThat(config.of("slow").retry()).isEqualTo(config.retry());
        assertThat(config.of("a.dotted.retry").dispatcher()).isEqualTo(config.dispatcher());
        assertThat(config.of("a.dotted.retry").retry())
                .isEqualTo(new RetryConfig(5, Duration.ofSeconds(1), Duration.ofMinutes(10), true));
        assertThat(config.isDispatching()).isTrue();
    }

    @Test
    void queuesOfDeadLettersHaveTheirNamesInTheirKeys() {
        assertThat(TestConfig.of(
                                "outbox.dead-letters.exceptions.jndi", "jms/exceptions",
                                "outbox.dead-letters.a.b.jndi", "jms/dlq",
                                "outbox.dead-letters.a.b.connection-factory", "jms/activemq")
                        .console()
                        .deadLetters())
                .containsExactly(
                        entry("a.b", new DeadLetterQueue("default", "a.b", "jms/dlq", "jms/activemq")),
                        entry(
                                "exceptions",
                                new DeadLetterQueue(
                                        "default",
                                        "exceptions",
                                        "jms/exceptions",
                                        "java:comp/DefaultJMSConnectionFactory")));
        assertThatThrownBy(() -> TestConfig.of("outbox.dead-letters.a.connection-factory", "jms/activemq"))
                .hasMessageContaining("outbox.dead-letters.a.jndi is ''; allowed is the JNDI name of a queue");
    }

    /** Otherwise somebody would wait for a console that never opens. */
    @Test
    void namedOutboxHasNoConsoleOfItsOwn() {
        assertThatThrownBy(() -> TestConfig.ofOutbox(
                        "billing",
                        "outbox.outboxes.billing.console.enabled",
                        "true",
                        "outbox.outboxes.billing.console.path",
                        "/billing"))
                .hasMessageStartingWith("OBX-0201")
                .hasMessageContaining(
                        "outbox.outboxes.billing.console.enabled is 'true'; allowed is no value, since the"
                                + " application has one console for all outboxes: set outbox.console.enabled")
                .hasMessageContaining("outbox.outboxes.billing.console.path is '/billing'");
        assertThat(TestConfig.ofOutbox("billing", "outbox.console.enabled", "true")
                        .console()
                        .enabled())
                .as("inherited")
                .isTrue();
    }

    /** Two outboxes may have different queues of one name, and an inherited queue is the same queue. */
    @Test
    void queueOfDeadLettersBelongsToTheOutboxThatDefinesIt() {
        Map<String, DeadLetterQueue> queues = TestConfig.ofOutbox(
                        "billing",
                        "outbox.dead-letters.inherited.jndi",
                        "jms/inherited",
                        "outbox.dead-letters.exceptions.jndi",
                        "jms/exceptions",
                        "outbox.outboxes.billing.dead-letters.exceptions.jndi",
                        "jms/billing")
                .console()
                .deadLetters();

        assertThat(queues.get("inherited").label()).isEqualTo("inherited");
        assertThat(queues.get("inherited").key()).isEqualTo("outbox.dead-letters.inherited");
        assertThat(queues.get("exceptions").label()).isEqualTo("billing/exceptions");
        assertThat(queues.get("exceptions").key()).isEqualTo("outbox.outboxes.billing.dead-letters.exceptions");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            outbox.destinations.slow.dispatcher.batch-size    | 0            | a whole number from 1 to 1000
            outbox.destinations.slow.dispatcher.delivery      | exactly-once | PT0S; or a lease, with outbox.destinations.slow.dispatcher.delivery=at-least-once
            outbox.destinations.slow.dispatcher.shadow-destination | other   | a destination with the same delivery, which is at-least-once
            outbox.destinations.slow.retry.max-delay | PT0.5S     | at least outbox.retry.base-delay, which is PT1S""")
    void settingsOfADestinationThatDoNotGoTogetherAreRefused(String key, String value, String allowed) {
        assertThatThrownBy(() -> TestConfig.of(
                        "outbox.dispatcher.delivery",
                        "at-least-once",
                        "outbox.dispatcher.lease",
                        "PT1M",
                        "outbox.destinations.slow.jndi",
                        "jms/slow",
                        "outbox.destinations.other.jndi",
                        "jms/other",
                        "outbox.destinations.other.dispatcher.delivery",
                        "exactly-once",
                        "outbox.destinations.other.dispatcher.lease",
                        "PT0S",
                        key,
                        value))
                .hasMessageContaining(allowed);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            lost     | one of [billing, dead, default, partner]
            default  | a destination without a dead-letter destination
            dead     | a destination without a dead-letter destination
            partner  | a destination that is not external, since the copies say why the messages were given up""")
    void deadLetterDestinationThatCannotTakeTheMessagesIsRefused(String target, String allowed) {
        assertThatThrownBy(() -> TestConfig.of(
                        "outbox.destinations.billing.jndi",
                        "jms/billing",
                        "outbox.destinations.partner.jndi",
                        "jms/partner",
                        "outbox.destinations.partner.external",
                        "true",
                        "outbox.destinations.dead.jndi",
                        "jms/dead",
                        "outbox.destinations.dead.dead-letter",
                        "billing",
                        "outbox.destinations.default.dead-letter",
                        target))
                .hasMessageContaining(
                        "outbox.destinations.default.dead-letter is '" + target + "'; allowed is " + allowed);
    }

    /** A destination that is new at run time has no partitions in the tables, so a settlement could store no copy. */
    @Test
    void deadLetterDestinationIsThatOfTheStart() {
        OutboxConfig start = TestConfig.of();
        OutboxConfig later = TestConfig.of(
                "outbox.destinations.dead.jndi", "jms/dead", "outbox.destinations.default.dead-letter", "dead");

        assertThat(later.in(start).deadLetterOf("default")).isNull();
        assertThat(later.in(later).deadLetterOf("default")).isEqualTo("dead");
        assertThat(later.deadLetterOf("removed")).isNull();
    }

    @Test
    void everyValueCanBeSet() {
        OutboxConfig config = TestConfig.of(
                "outbox.datasource", "jdbc/shop",
                "outbox.dispatcher.datasource", "jdbc/beside",
                "outbox.schema", "validate",
                "outbox.table-prefix", "shop_",
                "outbox.application", "shop",
                "outbox.partitions", "8",
                "outbox.ordering", "strict",
                "outbox.outside-transaction", "own-transaction",
                "outbox.payload.max-size", "1000",
                "outbox.dispatcher.enabled", "false",
                "outbox.dispatcher.interval", "PT1M",
                "outbox.dispatcher.batch-size", "7",
                "outbox.dispatcher.batch-max-bytes", "70",
                "outbox.dispatcher.max-partitions", "3",
                "outbox.dispatcher.lease", "PT30S",
                "outbox.dispatcher.delivery", "at-least-once",
                "outbox.dispatcher.shadow-destination", "discard",
                "outbox.retention.published", "PT0S",
                "outbox.retention.abandoned", "P7D",
                "outbox.retention.mode", "archive",
                "outbox.retention.payload", "erase",
                "outbox.retry.max-attempts", "4",
                "outbox.retry.base-delay", "PT2S",
                "outbox.retry.max-delay", "PT1H",
                "outbox.retry.on-abandon", "block",
                "outbox.retention.inbox", "P30D",
                "outbox.dispatcher.concurrency", "4",
                "outbox.jms.cloudevents", "true",
                "outbox.jms.cloudevents.source", "https://shop.example/orders",
                "outbox.jms.record-message-id", "true",
                "outbox.jms.messaging-log-megabytes", "50",
                "outbox.health.max-age", "PT5M");

        assertThat(config.jms()).isEqualTo(new MessageOptions(true, "https://shop.example/orders", true));
        assertThat(config.inboxRetention()).hasDays(30);
        assertThat(config.maxBacklogAge()).hasMinutes(5);
        assertThat(config.store())
                .isEqualTo(new StoreConfig(
                        "jdbc/shop",
                        SchemaMode.VALIDATE,
                        "shop_",
                        "shop",
                        8,
                        Ordering.STRICT,
                        "jdbc/beside",
                        new StoreConfig.Cdc(Map.of(), "outbox")));
        assertThat(config.capture()).isEqualTo(new CaptureConfig(true, 1000, 50));
        assertThat(config.dispatcher())
                .isEqualTo(new DispatcherConfig(
                        false,
                        Duration.ofMinutes(1),
                        7,
                        70,
                        null,
                        3,
                        4,
                        Guarantee.AT_LEAST_ONCE,
                        "discard",
                        Duration.ofSeconds(30)));
        assertThat(config.retry()).isEqualTo(new RetryConfig(4, Duration.ofSeconds(2), Duration.ofHours(1), true));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            outbox.schema                       | drop      | create or validate or none
            outbox.table-prefix                 | 1shop     | up to 16 letters, digits and underscores, not starting with a digit; the name of a database schema and a dot may stand before
            outbox.table-prefix                 | a; DROP   | up to 16 letters, digits and underscores, not starting with a digit; the name of a database schema and a dot may stand before
            outbox.table-prefix                 | a.b.c     | up to 16 letters, digits and underscores, not starting with a digit; the name of a database schema and a dot may stand before
            outbox.table-prefix                 | .shop_    | up to 16 letters, digits and underscores, not starting with a digit; the name of a database schema and a dot may stand before
            outbox.table-prefix                 | seventeen_letters | up to 16 letters, digits and underscores, not starting with a digit; the name of a database schema and a dot may stand before
            outbox.partitions                   | 0         | a whole number from 1 to 1024
            outbox.partitions                   | 1025      | a whole number from 1 to 1024
            outbox.outside-transaction          | ignore    | reject or own-transaction
            outbox.payload.max-size             | 1MB       | a whole number from 1 to 67108864
            outbox.dispatcher.enabled           | yes       | true or false
            outbox.dispatcher.interval          | 5s        | an ISO-8601 duration such as PT5S, from PT0.1S to P1D
            outbox.dispatcher.interval          | PT0.099S  | an ISO-8601 duration such as PT5S, from PT0.1S to P1D
            outbox.dispatcher.batch-size        | 1001      | a whole number from 1 to 1000
            outbox.dispatcher.batch-max-bytes   | 0         | a whole number from 1 to 268435456
            outbox.dispatcher.max-partitions    | 1025      | a whole number from 1 to 1024
            outbox.dispatcher.delivery          | EXACTLY_ONCE | exactly-once or at-least-once
            outbox.dispatcher.shadow-destination | nowhere  | discard or one of [default]
            outbox.dispatcher.concurrency       | 65        | a whole number from 1 to 64
            outbox.jms.cloudevents              | json      | true or false
            outbox.jms.cloudevents.source       | a shop    | a URI reference, for example /shop or https://shop.example
            outbox.retry.max-attempts           | 0         | a whole number from 1 to 1000000
            outbox.retry.base-delay             | PT0S      | an ISO-8601 duration such as PT5S, from PT0.001S to P1D
            outbox.retry.max-delay              | PT25H     | an ISO-8601 duration such as PT5S, from PT0.001S to P1D
            outbox.retry.on-abandon             | stop      | skip or block
            outbox.dispatcher.lease             | PT1M      | PT0S; or a lease, with outbox.dispatcher.delivery=at-least-once
            outbox.dispatcher.lease             | PT4S      | PT0S, or an ISO-8601 duration such as PT5S, from PT5S to P1D
            outbox.destinations.default.time-to-live | -PT1S | an ISO-8601 duration such as PT5S, from PT0S to P3650D
            outbox.destinations.default.group-id | value    | key or none
            outbox.health.max-age               | PT0S      | an ISO-8601 duration such as PT5S, from PT1S to P3650D
            """)
    void wrongValueIsNamedWithItsKeyAndWhatIsAllowed(String key, String value, String allowed) {
        assertThatThrownBy(() -> TestConfig.of(key, value))
                .isInstanceOf(OutboxException.class)
                .hasMessage("OBX-0201: the outbox configuration is wrong:" + System.lineSeparator() + "  " + key
                        + " is '" + value + "'; allowed is " + allowed);
    }

    @Test
    void sourceOfCloudEventsIsTheApplicationUnlessItIsSet() {
        assertThat(TestConfig.of("outbox.application", "web shop").jms().source())
                .isEqualTo("/web%20shop");
    }

    @Test
    void allWrongValuesAreNamedInOneMessage() {
        assertThatThrownBy(() -> TestConfig.of(
                        "outbox.schema", "drop",
                        "outbox.retry.max-attempts", "0",
                        "outbox.destinations.audit.connection-factory", "jms/other"))
                .hasMessageContainingAll(
                        "outbox.schema is 'drop'",
                        "outbox.retry.max-attempts is '0'",
                        "outbox.destinations.audit.jndi is ''; allowed is the JNDI name of a queue or topic");
    }

    @Test
    void maximumDelayBelowTheBaseDelayIsRefused() {
        assertThatThrownBy(() -> TestConfig.of("outbox.retry.base-delay", "PT11M"))
                .hasMessageContaining("outbox.retry.max-delay is 'PT10M'; allowed is at least outbox.retry.base-delay,"
                        + " which is PT11M");
        assertThat(TestConfig.of("outbox.retry.base-delay", "PT10M").retry().baseDelay())
                .isEqualTo(Duration.ofMinutes(10));
    }

    @Test
    void applicationNameThatDoesNotFitItsColumnIsRefused() {
        assertThat(TestConfig.of("outbox.application", "x".repeat(64)).store().application())
                .hasSize(64);
        assertThatThrownBy(() -> TestConfig.of("outbox.application", "x".repeat(65)))
                .hasMessageContaining("allowed is 1 to 64 visible characters");
    }

    @Test
    void nameWithACharacterThatIsNotSeenIsRefused() {
        assertThatThrownBy(() -> TestConfig.of("outbox.application", "shop\u200b"))
                .hasMessageContaining("outbox.application");
        assertThatThrownBy(() -> TestConfig.of("outbox.destinations.bil\0ling.jndi", "jms/x"))
                .hasMessageContaining("visible characters");
    }

    /** Otherwise the name would mean a destination of the outbox eu, and the messages would never be delivered. */
    @Test
    void destinationNameWithASlashIsRefused() {
        assertThatThrownBy(() -> TestConfig.of("outbox.destinations.eu/orders.jndi", "jms/x"))
                .hasMessageContaining("OBX-0201")
                .hasMessageContaining("outbox.destinations.eu/orders")
                .hasMessageContaining("allowed is a name of at most 64 visible characters without a slash");
    }

    @Test
    void destinationNameThatDoesNotFitItsColumnIsRefused() {
        assertThatThrownBy(() -> TestConfig.of("outbox.destinations." + "x".repeat(65) + ".jndi", "jms/x"))
                .hasMessageContaining("allowed is a name of at most 64 visible characters");
    }

    @Test
    void destinationsAreFoundByTheNamesOfTheirKeys() {
        OutboxConfig config = TestConfig.of(
                "outbox.destinations.audit.jndi", "jms/audit",
                "outbox.destinations.partner.east.jndi", "jms/east",
                "outbox.destinations.partner.east.connection-factory", "jms/eastBroker",
                "outbox.destinations.partner.east.time-to-live", "PT1H",
                "outbox.destinations.partner.east.group-id", "none",
                "outbox.destinations.partner.east.external", "true");

        assertThat(config.destinations())
                .containsOnlyKeys("default", "audit", "partner.east")
                .containsEntry(
                        "audit",
                        new DestinationConfig("jms", "jms/audit", BROKER, Duration.ZERO, true, false, null, Map.of()))
                .containsEntry(
                        "partner.east",
                        new DestinationConfig(
                                "jms", "jms/east", "jms/eastBroker", Duration.ofHours(1), false, true, null, Map.of()));
    }

    @Test
    void handlerIsADestinationThatNoKeyConfigures() {
        OutboxConfig config = TestConfig.withHandlers(
                Map.of("shipping", List.of("Order*"), "audit", List.of("*")),
                "outbox.destinations.shipping.retry.max-attempts",
                "3",
                "outbox.destinations.shipping.dead-letter",
                "default");

        assertThat(config.destinations())
                .containsEntry(
                        "shipping",
                        new DestinationConfig("local", null, null, Duration.ZERO, true, false, "default", Map.of()));
        assertThat(config.of("shipping").retry().maxAttempts()).isEqualTo(3);
        assertThat(config.handlersOf("OrderPlaced")).containsExactly("audit", "shipping");
        assertThat(config.handlersOf("InvoiceIssued")).containsExactly("audit");
        assertThat(config.route("OrderPlaced")).as("handlers change no route").containsExactly("default");
    }

    @Test
    void applicationWhoseEventsAreAllForHandlersHasNoDefaultDestination() {
        Map<String, List<String>> handlers = Map.of("shipping", List.of("OrderPlaced"));

        assertThat(TestConfig.withHandlers(handlers, "outbox.routes.*", "local").destinations())
                .containsOnlyKeys("shipping");
        assertThat(TestConfig.withHandlers(handlers, "outbox.routes.OrderPlaced", "local")
                        .destinations())
                .containsOnlyKeys("shipping", "default");
    }

    @ParameterizedTest
    @CsvSource({
        "outbox.routes.OrderPlaced,                shipping,   'allowed is one or more of [default, local]'",
        "outbox.destinations.shipping.jndi,        jms/orders, 'allowed is no value, because an @OutboxHandler has this name'",
        "outbox.destinations.shipping.transport,   kafka,      'allowed is no value'",
        "outbox.transport,                         local,      'for example outbox.routes.*=local'",
        "outbox.destinations.local.jndi,           jms/orders, 'not discard or local'",
        "outbox.dispatcher.shadow-destination,     shipping,   'allowed is discard or one of [default]'",
        "outbox.destinations.default.dead-letter,  shipping,   'allowed is one of [default]'",
    })
    void handlerIsNeitherRoutedNorConfiguredAsAnotherDestination(String key, String value, String allowed) {
        assertThatThrownBy(() -> TestConfig.withHandlers(Map.of("shipping", List.of("OrderPlaced")), key, value))
                .hasMessageContaining("OBX-0201")
                .hasMessageContaining(key.replaceFirst("local\\.jndi", "local"))
                .hasMessageContaining(allowed);
    }

    @Test
    void routesAreListsOfDestinationsAndTheRestGoesToDefault() {
        OutboxConfig config = TestConfig.of(
                "outbox.destinations.audit.jndi", "jms/audit",
                "outbox.routes.OrderPlaced", " audit , default,audit");

        assertThat(config.route("OrderPlaced")).containsExactly("audit", "default");
        assertThat(config.route("OrderPaid")).isEqualTo(List.of("default"));
    }

    @Test
    void longestPatternRoutesTheTypesThatHaveNoRouteOfTheirOwn() {
        OutboxConfig config = TestConfig.of(
                "outbox.destinations.orders.jndi", "jms/orders",
                "outbox.destinations.audit.jndi", "jms/audit",
                "outbox.routes.*", "audit",
                "outbox.routes.Order*", "orders",
                "outbox.routes.OrderPaid", "default");

        assertThat(config.route("OrderPlaced")).containsExactly("orders");
        assertThat(config.route("OrderPaid")).containsExactly("default");
        assertThat(config.route("Refunded")).containsExactly("audit");
    }

    @Test
    void routeToAnUnknownDestinationIsRefused() {
        assertThatThrownBy(() -> TestConfig.of("outbox.routes.OrderPlaced", "default,audit"))
                .hasMessageContaining(
                        "outbox.routes.OrderPlaced is 'audit'; allowed is one or more of [default, local], comma-separated");
    }

    @Test
    void quarterOfThePartitionsIsClaimedAtATimeAndAtLeastOne() {
        assertThat(TestConfig.of("outbox.partitions", "32").dispatcher().maxPartitions())
                .isEqualTo(8);
        assertThat(TestConfig.of("outbox.partitions", "1").dispatcher().maxPartitions())
                .isEqualTo(1);
    }

    @Test
    void blankValueMeansTheDefault() {
        assertThat(TestConfig.of("outbox.table-prefix", "  ").store().tablePrefix())
                .isEqualTo("outbox_");
        assertThat(TestConfig.of("outbox.table-prefix", "app.shop_").store().tablePrefix())
                .isEqualTo("app.shop_");
        assertThat(TestConfig.of("outbox.table-prefix", " shop_ ").store().tablePrefix())
                .isEqualTo("shop_");
    }

    @Test
    void whatCannotChangeWhileTheApplicationRunsStaysAsItStarted() {
        OutboxConfig start = TestConfig.of();
        OutboxConfig changed = TestConfig.of(
                "outbox.table-prefix", "other_",
                "outbox.payload.max-size", "1",
                "outbox.dispatcher.batch-size", "7",
                "outbox.retry.max-attempts", "7",
                "outbox.retention.published", "PT1H",
                "outbox.destinations.default.jndi", "jms/other",
                "outbox.retention.inbox", "P1D",
                "outbox.health.max-age", "PT1M",
                "outbox.console.enabled", "true",
                "outbox.routes.OrderPlaced", "default");

        assertThat(changed.in(start))
                .isEqualTo(new OutboxConfig(
                        start.outbox(),
                        start.store(),
                        start.capture(),
                        changed.destinations(),
                        start.routes(),
                        changed.dispatcher(),
                        changed.retry(),
                        changed.retention(),
                        changed.inboxRetention(),
                        changed.maxBacklogAge(),
                        start.console(),
                        changed.jms(),
                        changed.dispatch(),
                        start.handlers()));
    }

    @Test
    void destinationOfKafkaHasATopicAndTheSettingsOfItsClient() {
        ConfigReader reader = TestConfig.reader(
                "outbox.dispatcher.delivery", "at-least-once",
                "outbox.kafka.bootstrap.servers", "one:9092",
                "outbox.kafka.compression.type", "zstd",
                "outbox.destinations.orders.transport", "kafka",
                "outbox.destinations.orders.topic", "shop.orders",
                "outbox.destinations.orders.external", "true",
                "outbox.destinations.bills.transport", "kafka",
                "outbox.destinations.bills.kafka.bootstrap.servers", "other:9092",
                "outbox.destinations.bills.jndi", "jms/bills",
                "outbox.kafka_is_no_key", "x");
        Map<String, DestinationConfig> destinations = reader.read().destinations();

        assertThat(destinations)
                .containsEntry(
                        "orders",
                        new DestinationConfig(
                                "kafka",
                                "shop.orders",
                                null,
                                Duration.ZERO,
                                true,
                                true,
                                null,
                                Map.of("bootstrap.servers", "one:9092", "compression.type", "zstd")))
                .containsEntry(
                        "bills",
                        new DestinationConfig(
                                "kafka",
                                "bills",
                                null,
                                Duration.ZERO,
                                true,
                                false,
                                null,
                                Map.of("bootstrap.servers", "other:9092", "compression.type", "zstd")));
        assertThat(destinations.get("default").transport()).isEqualTo("jms");
        assertThat(reader.unknown())
                .as("a key of JMS has no effect on Kafka")
                .containsExactly(
                        "outbox.destinations.bills.jndi (did you mean 'outbox.destinations.bills.topic'?)",
                        "outbox.kafka_is_no_key");
    }

    @Test
    void destinationOfKafkaWithoutBrokersIsRefused() {
        assertThatThrownBy(() -> TestConfig.of("outbox.transport", "kafka"))
                .hasMessageContaining("outbox.kafka.bootstrap.servers is ''; allowed is hosts and ports");
    }

    @Test
    void destinationOfChangeDataCaptureHasATopicAndNoDispatcher() {
        OutboxConfig config = TestConfig.of(
                "outbox.destinations.orders.transport", "cdc",
                "outbox.destinations.orders.topic", "shop.orders",
                "outbox.dispatcher.concurrency", "7");

        assertThat(config.destinations())
                .containsEntry(
                        "orders",
                        new DestinationConfig("cdc", "shop.orders", null, Duration.ZERO, true, false, null, Map.of()));
        assertThat(config.dispatch()).containsOnlyKeys("default");
        assertThat(config.store().cdc())
                .isEqualTo(new StoreConfig.Cdc(Map.of("orders", new TopicLimits(1_048_576, false)), "outbox"));
    }

    /** The connector's producer has the same limit, and its topics can be looked at. */
    @Test
    void destinationOfChangeDataCaptureMayKnowKafka() {
        OutboxConfig config = TestConfig.of(
                "outbox.destinations.orders.transport", "cdc",
                "outbox.kafka.bootstrap.servers", "kafka:9092",
                "outbox.destinations.orders.kafka.max.request.size", "5000");

        assertThat(config.destinations().get("orders").knowsKafka()).isTrue();
        assertThat(config.store().cdc().topics()).isEqualTo(Map.of("orders", new TopicLimits(5000, false)));
    }

    /** The next node would give up before the transaction of a dead one has ended. */
    @Test
    void longTransactionOfKafkaIsRefusedWithExactlyOnce() {
        String[] keys = {
            "outbox.transport", "kafka",
            "outbox.kafka.bootstrap.servers", "kafka:9092",
            "outbox.kafka.transaction.timeout.ms", "30001",
            "outbox.dispatcher.delivery", "at-least-once"
        };
        TestConfig.of(keys);
        keys[7] = "exactly-once";
        assertThatThrownBy(() -> TestConfig.of(keys))
                .hasMessageContaining("allowed is at most 30000 with exactly-once");
    }

    /** One message for it would stop the connector for all destinations; a dispatcher would try for ever. */
    @ParameterizedTest
    @ValueSource(strings = {"kafka", "cdc"})
    void topicThatKafkaCannotHaveIsRefused(String transport) {
        for (String topic : List.of("shop orders", "..", "\u00e4", "x".repeat(250))) {
            assertThatThrownBy(() -> TestConfig.of(
                            "outbox.destinations.orders.transport",
                            transport,
                            "outbox.kafka.bootstrap.servers",
                            "kafka:9092",
                            "outbox.destinations.orders.topic",
                            topic))
                    .hasMessageContaining("outbox.destinations.orders.topic is '" + topic + "'; allowed is 1 to 249");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            outbox.destinations.orders.kafka.max.request.size | 1 MB        | a number of bytes
            outbox.destinations.orders.retry.max-attempts    | 3            | no value with transport=cdc
            outbox.destinations.orders.retry.on-abandon      | block        | no value with transport=cdc
            outbox.destinations.orders.dispatcher.delivery   | exactly-once | no value with transport=cdc
            outbox.destinations.orders.dispatcher.enabled    | false        | no value with transport=cdc
            outbox.destinations.orders.dead-letter           | default      | no value with transport=cdc
            outbox.destinations.orders.time-to-live          | PT1H         | no value with transport=cdc
            outbox.dispatcher.shadow-destination             | discard      | no value, since [orders] with transport=cdc
            outbox.destinations.default.dispatcher.shadow-destination | orders | discard or one of [default]
            outbox.retention.payload                         | erase        | keep, since [orders] with transport=cdc
            outbox.cdc.slot                                  | My-Slot      | 1 to 63 lower-case letters""")
    void whatChangeDataCaptureCannotDoIsRefused(String key, String value, String allowed) {
        assertThatThrownBy(() -> TestConfig.of("outbox.destinations.orders.transport", "cdc", key, value))
                .hasMessageContaining(key + " is '" + value + "'; allowed is " + allowed);
    }

    @Test
    void unknownKeysAreReportedAndThoseOfOthersAreNot() {
        ConfigReader reader = TestConfig.reader(
                "outbox.dispatcher.intervall", "PT5S",
                "outbox.destinations.default.jnid", "jms/x",
                "outbox.dispatcher.interval", "PT5S",
                "outbox.routes.OrderPlaced", "default",
                "quarkus.outbox.enabled", "true");
        reader.read();

        assertThat(reader.unknown())
                .containsExactly(
                        "outbox.destinations.default.jnid (did you mean 'outbox.destinations.default.jndi'?)",
                        "outbox.dispatcher.intervall (did you mean 'outbox.dispatcher.interval'?)");
    }

    /** The environment variable OUTBOX_DISPATCHER_BATCH_SIZE also appears as outbox.dispatcher.batch.size. */
    @Test
    void environmentVariableOfAKnownKeyIsNotUnknown() {
        ConfigReader reader = TestConfig.reader(
                "outbox.dispatcher.batch.size", "7", "outbox.dispatcher.batch-size", "7", "outbox.xyz", "7");
        reader.read();

        assertThat(reader.unknown()).containsExactly("outbox.xyz");
    }

    /** The other keys of such a destination are those of another transport. */
    @Test
    void destinationStaysAsItWasUntilItsNewTransportCounts() {
        OutboxConfig start = TestConfig.of("outbox.destinations.orders.jndi", "jms/orders");
        OutboxConfig now = TestConfig.of(
                "outbox.dispatcher.delivery", "at-least-once",
                "outbox.kafka.bootstrap.servers", "one:9092",
                "outbox.destinations.orders.transport", "kafka");

        assertThat(now.in(start).destinations()).isEqualTo(start.destinations());
    }

    @Test
    void keysThatNeedARestartAreFound() {
        ConfigReader start = TestConfig.reader("outbox.destinations.billing.jndi", "jms/billing");
        start.read();

        assertThat(changedSince(start, "outbox.destinations.billing.jndi", "jms/other"))
                .isEmpty();
        assertThat(changedSince(start, "outbox.destinations.ledger.jndi", "jms/ledger"))
                .containsExactly("outbox.destinations.billing.jndi", "outbox.destinations.ledger.jndi");
        assertThat(changedSince(
                        start,
                        "outbox.destinations.billing.jndi",
                        "jms/billing",
                        "outbox.destinations.billing.external",
                        "true"))
                .containsExactly("outbox.destinations.billing.external");
        assertThat(changedSince(
                        start,
                        "outbox.destinations.billing.jndi",
                        "jms/billing",
                        "outbox.console.enabled",
                        "true",
                        "outbox.routes.Paid",
                        "billing",
                        "outbox.payload.max-size",
                        "7",
                        "outbox.partitions",
                        "7",
                        "outbox.dispatcher.batch-size",
                        "7"))
                .containsExactly(
                        "outbox.console.enabled", "outbox.partitions", "outbox.payload.max-size", "outbox.routes.Paid");
    }

    private static List<String> changedSince(ConfigReader start, String... keysAndValues) {
        ConfigReader reader = TestConfig.reader(keysAndValues);
        reader.read();
        return reader.changedSince(start);
    }

    @Test
    void outboxWithANameHasItsOwnKeysAndElseThoseOfTheDefaultOne() {
        Map<String, String> keys = Map.of(
                "outbox.datasource", "jdbc/shop",
                "outbox.table-prefix", "shop_",
                "outbox.dispatcher.interval", "PT9S",
                "outbox.routes.A", "default",
                "outbox.outboxes.billing.datasource", "jdbc/billing",
                "outbox.outboxes.billing.destinations.ledger.jndi", "jms/ledger",
                "outbox.outboxes.billing.routes.B", "ledger",
                "outbox.outboxes.billing.dispatcher.interval", "PT2S",
                "outbox.outboxes.other.datasource", "jdbc/other");

        OutboxConfig billing = TestConfig.of("billing", keys).read();
        assertThat(billing.store().dataSource()).isEqualTo("jdbc/billing");
        assertThat(billing.store().tablePrefix()).isEqualTo("shop_");
        assertThat(billing.dispatcher().interval()).isEqualTo(Duration.ofSeconds(2));
        assertThat(billing.destinations()).containsOnlyKeys("default", "ledger");
        assertThat(billing.routes()).containsOnlyKeys("A", "B");

        OutboxConfig standard = TestConfig.of("default", keys).read();
        assertThat(standard.store().dataSource()).isEqualTo("jdbc/shop");
        assertThat(standard.dispatcher().interval()).isEqualTo(Duration.ofSeconds(9));
        assertThat(standard.destinations()).containsOnlyKeys("default");
        assertThat(OutboxProperties.outboxes(keys.keySet())).containsExactly("billing", "other");
    }

    @Test
    void wrongValueOfANamedOutboxIsNamedAsItWasSet() {
        assertThatThrownBy(() -> TestConfig.of(
                                "billing",
                                Map.of("outbox.outboxes.billing.partitions", "0", "outbox.retry.max-attempts", "many"))
                        .read())
                .hasMessageContaining("outbox.outboxes.billing.partitions is '0'")
                .hasMessageContaining(System.lineSeparator() + "  outbox.retry.max-attempts is 'many'")
                .hasMessageContaining("outbox.outboxes.billing.datasource is ''");
    }

    @Test
    void misspeltKeyIsUnknownToItsOwnOutboxOnly() {
        Map<String, String> keys = Map.of(
                "outbox.outboxes.billing.datasource", "jdbc/billing",
                "outbox.outboxes.billing.pratitions", "3",
                "outbox.pratitions", "3");
        ConfigReader billing = TestConfig.of("billing", keys);
        billing.read();
        ConfigReader standard = TestConfig.of("default", keys);
        standard.read();

        assertThat(billing.unknown()).containsExactly("outbox.outboxes.billing.pratitions");
        assertThat(standard.unknown()).containsExactly("outbox.pratitions (did you mean 'outbox.partitions'?)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "outbox.outboxes.default.datasource",
                "outbox.outboxes.a/b.datasource",
                "outbox.outboxes.abcdefghijklmnopqrstuvwxyz1234567.datasource"
            })
    void nameThatCannotBeUsedIsRefused(String key) {
        assertThatThrownBy(() -> OutboxProperties.outboxes(List.of(key)))
                .hasMessageStartingWith("OBX-0201")
                .hasMessageContaining(key);
    }
}
