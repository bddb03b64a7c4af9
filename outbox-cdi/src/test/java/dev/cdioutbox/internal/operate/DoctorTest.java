package dev.cdioutbox.internal.operate;

import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.consume.FakeEndpoints;
import dev.cdioutbox.internal.consume.PausedConsumers;
import dev.cdioutbox.internal.deadletter.DeadLetterQueue;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.observe.Gauges.DeadLetterCount;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.StoreContract;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.WatchedSource;
import dev.cdioutbox.internal.store.node.PreparedTransactions;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.BacklogReader.Backlog;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.operate.OutboxFinding;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guards that the doctor finds what is wrong, and nothing in an outbox that is set up well. */
class DoctorTest extends StoreContract {
    private static final DestinationId DEFAULT = ofDefaultOutbox("default");

    private static final Instant NOW = Instant.parse("2026-11-27T10:00:00Z");

    private final AtomicLong nanos = new AtomicLong();
    private final Gauges gauges = new Gauges(nanos::get);
    private String onConnect;
    private int isolation = Connection.TRANSACTION_READ_COMMITTED;
    private final JdbcOutboxStore store = JdbcOutboxStore.open(
            source(), TestDatabase.config(SchemaMode.CREATE, "shop", 4), Set.of("default", "gone"));
    private final OutboxInstance outbox = new OutboxInstance("default", new CurrentConfig(TestConfig.of()), store);
    private final Outboxes outboxes = new Outboxes(List.of(outbox));

    DoctorTest(Database kind) {
        super(kind);
    }

    /** With a message of each table that is looked at, so that a query that fails would show. */
    @Test
    void nothingIsFoundIfAllIsWell() {
        heartbeat("node-1", "default", "1.0");
        store.capture().write(List.of(message("a", "1")));

        assertThat(findings()).isEmpty();
    }

    @Test
    void tableThatLacksAColumn() {
        database.rename("shop_queue", "attempts", "tries");

        assertThat(findings())
                .singleElement()
                .asString()
                .startsWith("OBX-0308: the tables of ")
                .contains("shop_queue: ", "/1.sql in outbox-engine.jar");
    }

    @Test
    void tablesThatAreNotThereYet() {
        OutboxInstance waiting =
                new OutboxInstance("default", new CurrentConfig(TestConfig.of()), (JdbcOutboxStore) null);

        assertThat(new Doctor(waiting, new Outboxes(List.of(waiting)), gauges, new PausedConsumers()).findings())
                .singleElement()
                .asString()
                .startsWith("OBX-0224: outbox 'default' refuses all events for now");
    }

    @Test
    void databaseThatIsAway() {
        onConnect = "SELECT no_such_column";

        assertThat(findings()).singleElement().asString().startsWith("OBX-0302: looking at the tables failed: ");
    }

    @Test
    void isolation() {
        isolation = Connection.TRANSACTION_SERIALIZABLE;

        assertThat(codes()).containsExactly(database.kind().isInnoDb() ? "OBX-0318" : "OBX-0437");
    }

    /** The servers of the tests write to the disk later than they acknowledge. */
    @Test
    void settingsOfTheDatabase() {
        boolean hasSettings = database.kind() != Database.H2;

        assertThat(new Doctor(outbox, outboxes, gauges, new PausedConsumers()).findings())
                .extracting(OutboxFinding::code)
                .containsExactlyElementsOf(hasSettings ? List.of("OBX-0341") : List.of());
    }

    @Test
    void nodesOfOtherVersionsAndModules() {
        heartbeat("node-1", "default", "1.0");
        heartbeat("node-2", "default", "1.1");
        assertThat(findings())
                .singleElement()
                .asString()
                .startsWith(
                        "OBX-0441: outbox 'default': its nodes have different versions of the outbox: 1.0 on host/server, 1.1 on host/server.");

        heartbeat("node-2", "default", "1.0");
        heartbeat("node-3", "billing", "1.0");
        database.update("UPDATE shop_node SET version = '1.0'");
        assertThat(codes()).containsExactly("OBX-0220");
    }

    @Test
    void messagesForADestinationThatIsNotConfigured() {
        store.capture().write(List.of(message("made", "a", "1", "gone")));

        assertThat(findings())
                .singleElement()
                .asString()
                .startsWith("OBX-0433: outbox 'default': messages wait for [gone]");
    }

    @Test
    void destinationThatMayBeAtFaultUnlessItIsPaused() {
        gauges.held(DEFAULT, OutboxCode.DESTINATION_FAILING.finding("default", "4711", "no", "PT10M"), () -> false);
        assertThat(codes()).containsExactly("OBX-0450");
        assertThat(gauges.failing(DEFAULT)).isNotNull();

        gauges.backlog("default", new Backlog(0, 1, 0, null, Set.of("default"), NOW, Map.of()));
        assertThat(codes()).isEmpty();
        assertThat(gauges.failing(DEFAULT)).as("of the metric").isNull();
    }

    @Test
    void destinationThatFails() {
        gauges.runFailed(DEFAULT, 1, OutboxCode.SERVICE_NOT_FOUND.exception("a queue", "jms/gone", "a key", "gone"));
        assertThat(findings())
                .singleElement()
                .asString()
                .startsWith("OBX-0401: destination 'default': delivery failed; its messages wait: OBX-0203: a queue");

        gauges.recovered(DEFAULT, 1);
        assertThat(findings()).isEmpty();

        gauges.began(DEFAULT);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(61));
        assertThat(findings())
                .singleElement()
                .asString()
                .startsWith("OBX-0438: ")
                .contains("1 min 1 s");
    }

    @Test
    void abandonedMessages() {
        store.capture().write(List.of(message("a", "1"), message("b", "2")));
        database.update("UPDATE shop_queue SET status = 2");

        assertThat(findings())
                .singleElement()
                .asString()
                .startsWith("OBX-0442: 2 message(s) are abandoned in the outbox 'default', among them ")
                .contains("key b, destination 'default'). They are");
    }

    @Test
    void abandonedMessageThatHoldsUpOthersIsNamed() {
        store.capture().write(List.of(message("K-2204", "1"), message("K-2204", "2"), message("K-2204", "3")));
        long first = database.sequence("1");
        store.settlements()
                .settleUnsent(unsent(List.of(new Retry(first, OutboxStatus.ABANDONED, 1, null, "no", true))));
        // As a claim would do it.
        database.update("UPDATE shop_queue SET queue_id = (SELECT id FROM shop_blocked_key)");

        assertThat(findings())
                .singleElement()
                .asString()
                .contains("key K-2204, destination 'default'), with 2 message(s) waiting behind it");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {"true, 1, 6, true", "true, 1, 5, false", "false, 1, 6, false", "true, -, 6, false"})
    void rateThatLetsMessagesWaitForLong(boolean isHeldBack, Integer rate, long minutes, boolean isFound) {
        Optional<Finding> found = Doctor.ofRate(DEFAULT, isHeldBack, rate, Duration.ofMinutes(minutes));

        assertThat(found.isPresent()).isEqualTo(isFound);
        found.ifPresent(finding -> assertThat(finding.toString())
                .startsWith(
                        "OBX-0640: destination 'default' is held back by its rate: this node may send it 1 message(s)")
                .contains("waited for 6 min", "outbox.destinations.default.dispatcher.rate"));
    }

    @Test
    void messagesThatWaitForTheRate() {
        OutboxInstance limited =
                new OutboxInstance("default", new CurrentConfig(TestConfig.of("outbox.dispatcher.rate", "1")), store);
        Doctor doctor = new Doctor(limited, new Outboxes(List.of(limited)), gauges, new PausedConsumers());
        store.capture().write(List.of(message("a", "1")));
        database.update("UPDATE shop_message SET created_at = TIMESTAMP '2020-01-01 00:00:00'");
        gauges.heldBack(DEFAULT);

        assertThat(findings(doctor)).extracting(OutboxFinding::code).containsExactly("OBX-0640");
    }

    /** A queue is full because its consumer is off, so that an operator begins with the consumer. */
    @Test
    void consumerThatIsOffComesBeforeItsFullQueue() throws Exception {
        gauges.runFailed(DEFAULT, 1, new PublishException(Blame.DESTINATION_FULL, "the queue is full", null));
        try (FakeEndpoints endpoints = new FakeEndpoints("shop#shop.war#ShippingBean")) {
            endpoints.paused.add("shop#shop.war#ShippingBean");

            assertThat(codes()).containsExactly("OBX-0542", "OBX-0418");
        }
    }

    /** After a restart, nothing else says that messages were put aside. */
    @Test
    void deadLettersOfConsumers() {
        OutboxInstance shown = new OutboxInstance(
                "default", new CurrentConfig(TestConfig.of("outbox.dead-letters.aside.jndi", "jms/aside")), store);
        DeadLetterQueue aside = shown.config().current().console().deadLetters().get("aside");
        Doctor doctor = new Doctor(shown, new Outboxes(List.of(shown)), gauges, new PausedConsumers());
        assertThat(findings(doctor)).as("before the first look").isEmpty();

        gauges.deadLettersCounted(aside, new DeadLetterCount(5, OutboxCode.DEAD_LETTERS_WAIT.finding("5", "aside")));
        assertThat(findings(doctor))
                .singleElement()
                .asString()
                .startsWith("OBX-0524: dead letters of consumers in the queue 'aside': 5.");

        gauges.deadLettersCounted(aside, new DeadLetterCount(0, null));
        assertThat(findings(doctor)).isEmpty();
    }

    @Test
    void whatTheDeploymentFoundStaysFound() {
        try (LogLines log = new LogLines("dev.cdioutbox")) {
            outboxes.report(OutboxCode.UNKNOWN_ROUTE.finding("Shipped", ""));
            assertThat(log.all()).singleElement().asString().startsWith("OBX-0217: ");
        }

        assertThat(codes()).containsExactly("OBX-0217");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "0, 0, 0, -",
                "4, 0, 0, -",
                "0, 0, -4, -",
                "-5, 0, 3, -",
                "5, 0, 6, 5 s ahead of",
                "-70, 0, -65, 65 s behind"
            })
    void clock(long before, long database, long after, String difference) {
        Optional<Finding> found =
                Doctor.ofClocks(NOW.plusSeconds(before), NOW.plusSeconds(database), NOW.plusSeconds(after));

        assertThat(found.map(finding -> finding.code() + " "
                        + finding.text().replaceAll("the clock of this server is (.*? (of|behind)) .*", "$1")))
                .isEqualTo(Optional.ofNullable(difference).map(text -> "OBX-0228 " + text));
    }

    @ParameterizedTest
    @CsvSource({"at-least-once, 0, true", "at-least-once, 1, false", "exactly-once, 0, false"})
    void preparedTransactionsThatConsumersNeed(String delivery, int limit, boolean isFound) {
        Optional<Finding> found = Doctor.ofPrepared(
                TestConfig.of("outbox.dispatcher.delivery", delivery), new PreparedTransactions(limit, 0));

        assertThat(found.map(Finding::code)).isEqualTo(isFound ? Optional.of("OBX-0343") : Optional.empty());
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {"-, 9, false", "7, 2, false", "6, 2, true", "4, 2, true", "1, 0, false"})
    void connectionPool(Long size, int threads, boolean isTooSmall) {
        Optional<Finding> found = Doctor.ofPool("jdbc/shop", size, threads);

        assertThat(found.isPresent()).isEqualTo(isTooSmall);
        found.ifPresent(finding -> assertThat(finding.toString())
                .startsWith("OBX-0227: the pool of the DataSource jdbc/shop has " + size + " connection(s), and"
                        + " deliveries may hold 6 at a time"));
    }

    private List<OutboxFinding> findings() {
        return findings(new Doctor(outbox, outboxes, gauges, new PausedConsumers()));
    }

    /** Without what is true of each server of the tests, and only there: no commit waits for the disk. */
    private static List<OutboxFinding> findings(Doctor doctor) {
        return doctor.findings().stream()
                .filter(finding -> !finding.code().equals("OBX-0341"))
                .toList();
    }

    private List<String> codes() {
        return findings().stream().map(OutboxFinding::code).toList();
    }

    private void heartbeat(String node, String module, String version) {
        store.nodes().writeHeartbeat(new ThisNode(node, module, "host", "server", 1, version), 0);
    }

    private DataSource source() {
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DataSource.class},
                (pool, method, arguments) -> new WatchedSource(database.dataSource(), isolation, () -> onConnect)
                        .dataSource()
                        .getConnection());
    }
}
