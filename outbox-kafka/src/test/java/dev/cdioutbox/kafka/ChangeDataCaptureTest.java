package dev.cdioutbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.DestinationWorker;
import dev.cdioutbox.internal.dispatch.Dispatcher;
import dev.cdioutbox.internal.dispatch.FakeBroker;
import dev.cdioutbox.internal.dispatch.FakeTransactions;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.dispatch.listener.SlotReading;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.StoredMessage.Body;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.spi.DestinationId;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** From the commit to a topic by PostgreSQL's log, Debezium and Kafka Connect, and the switch between this and the dispatcher. */
@Tag("full")
@Timeout(value = 8, unit = TimeUnit.MINUTES)
class ChangeDataCaptureTest {
    private static final String TOPIC = "shop.orders";
    private static final String LAST = "last";
    private static final int KEYS = 8;
    private static final int KILLS = 3;
    /** Transactions for each kill. */
    private static final int BURST = 800;

    @TempDir
    Path folder;

    private Broker broker;
    private CapturedDatabase database;
    private FakeTransactions transactions;
    private OutboxConfig polling;
    private OutboxConfig captured;
    private JdbcOutboxStore before;

    @BeforeEach
    void start() throws Exception {
        broker = new Broker(Files.createDirectory(folder.resolve("broker")));
        broker.create(TOPIC, Map.of());
        broker.create("__debezium-heartbeat.outbox", Map.of());
        database = new CapturedDatabase(folder, broker);
        transactions = new FakeTransactions(database.dataSource(), new FakeBroker());
        polling = TestOutbox.config(
                broker,
                "outbox.destinations.orders.topic",
                TOPIC,
                "outbox.dispatcher.interval",
                "PT1H",
                "outbox.partitions",
                "4");
        captured = TestOutbox.config(
                broker,
                "outbox.destinations.orders.transport",
                "cdc",
                "outbox.destinations.orders.topic",
                TOPIC,
                "outbox.partitions",
                "4");
        before = open(polling);
        assertThatThrownBy(() -> open(captured).cdc().require())
                .hasMessageContaining("OBX-0333")
                .hasMessageContaining("there is no publication 'outbox'");
        database.apply("publication.sql");
        database.execute("CREATE ROLE outbox_reader LOGIN REPLICATION PASSWORD 'secret'");
        database.execute("GRANT SELECT ON outbox_message TO outbox_reader");
    }

    @AfterEach
    void stop() throws Exception {
        database.close();
        broker.close();
    }

    private JdbcOutboxStore open(OutboxConfig config) {
        return JdbcOutboxStore.open(
                transactions.dataSource(), config.store(), config.destinations().keySet());
    }

    @Test
    void messageIsThatOfThePublisherAndARollbackNeverAppears() throws Exception {
        JdbcOutboxStore store = open(captured);
        store.cdc().require();
        assertThat(store.cdc().state().active()).isFalse();
        Context context = new Context(
                "correlation", "causation", "tenant", Map.of("region", "\"\u00e4\uD83D\uDE00\\\n", "empty", ""));
        List<NewMessage> messages = List.of(
                message("1", "{\"a\": \"\u00e4\"}", context),
                message(null, "{}", Context.NONE),
                message("1", "null", Context.NONE),
                message("1", "order-1", "{}", Context.NONE),
                message("", "", Context.NONE),
                message("2", "external", new Context(null, null, null, Map.of("region", "eu"), true)),
                message("1", null, OutboxPayload.binary(new byte[] {0, 1, '\\', 'x', '0'}), Context.NONE));
        store.capture().write(messages);
        JdbcOutboxStore other = open(TestOutbox.config(
                broker,
                "outbox.application",
                "billing",
                "outbox.destinations.orders.transport",
                "cdc",
                "outbox.partitions",
                "4"));
        assertThatThrownBy(() -> other.cdc().require())
                .hasMessageContaining("OBX-0333")
                .hasMessageContaining("those WHERE (application = 'billing' AND transport = 'cdc')");
        other.capture().write(List.of(message("1", "of another application", Context.NONE)));
        rollBack("ROLLBACK", store);
        rollBack("PREPARE TRANSACTION 'in-doubt'", store);
        database.execute("ROLLBACK PREPARED 'in-doubt'");

        database.startConnect();
        store.capture().write(List.of(message("2", LAST, Context.NONE)));

        List<ConsumerRecord<String, String>> received = receive();
        assertThat(received).hasSize(messages.size() + 1);
        Map<String, ConsumerRecord<String, String>> byId = new HashMap<>();
        received.forEach(event -> byId.put(headers(event.headers()).get("messageId"), event));
        for (NewMessage message : messages) {
            OutboxMessage stored = store.finder().find(message.id().toString()).orElseThrow();
            ProducerRecord<byte[], byte[]> expected = RecordMapping.toRecord(
                    stored,
                    new DestinationConfig(
                            "kafka",
                            TOPIC,
                            null,
                            Duration.ZERO,
                            true,
                            message.context().external(),
                            null,
                            Map.of()),
                    polling.jms(),
                    Map.of());
            ConsumerRecord<String, String> event = byId.get(message.id().toString());
            assertThat(event.key()).isEqualTo(text(expected.key()));
            assertThat(event.value()).isEqualTo(text(expected.value()));
            assertThat(headers(event.headers())).isEqualTo(headers(expected.headers()));
        }
        assertThat(store.cdc().state().active()).isTrue();
        while (store.cdc().state().confirmed() < store.cdc().state().written() - 10_000) {
            Thread.onSpinWait();
        }
    }

    /** As that of tables which had no binary payloads: the connector would stop at the first one. */
    @Test
    void publicationWithoutBinaryPayloadsIsRefused() throws Exception {
        String columns = database.query("SELECT string_agg(a, ', ') FROM pg_publication_tables, unnest(attnames) a"
                + " WHERE a <> 'payload_binary'");
        database.execute("ALTER PUBLICATION outbox SET TABLE outbox_message (" + columns
                + ") WHERE (application = 'shop' AND transport = 'cdc')");

        assertThatThrownBy(() -> open(captured).cdc().require())
                .hasMessageContaining("OBX-0333")
                .hasMessageContaining("lacks the columns [payload_binary]");
    }

    @Test
    void restartOfTheConnectorLosesNothing() throws Exception {
        JdbcOutboxStore store = open(captured);
        database.startConnect();
        for (int i = 0; i < 50; i++) {
            store.capture().write(List.of(message("1", String.valueOf(i), Context.NONE)));
        }
        database.stopConnect();
        store.capture().write(List.of(message("1", "while it is away", Context.NONE)));
        database.startConnect();
        store.capture().write(List.of(message("1", LAST, Context.NONE)));

        List<String> texts =
                receive().stream().map(ConsumerRecord::value).distinct().toList();
        List<String> expected =
                new ArrayList<>(IntStream.range(0, 50).mapToObj(String::valueOf).toList());
        expected.addAll(List.of("while it is away", LAST));
        assertThat(texts).isEqualTo(expected);
    }

    @Test
    void killsOfConnectLoseNothingAndKeepTheOrder() throws Exception {
        createBusiness();
        database.startConnect();
        killUnderLoad(KILLS, () -> {});

        Map<String, List<Integer>> byKey = receivedByKey();
        for (int key = 0; key < KEYS; key++) {
            assertThat(new LinkedHashSet<>(byKey.get(String.valueOf(key))))
                    .as("key %s, without copies", key)
                    .containsExactlyElementsOf(numbers(key));
        }
    }

    @Test
    void killsOfConnectRepeatNothingWithExactlyOnce() throws Exception {
        createBusiness();
        database.startConnectExactlyOnce();
        killUnderLoad(KILLS, () -> {});

        assertEachKeyIsComplete();
    }

    /** Otherwise the kills would hit nothing that is on its way. */
    @Test
    void killsOfConnectWithoutItsSlotLoseMessages() throws Exception {
        createBusiness();
        database.startConnect();
        killUnderLoad(1, database::recreateSlot);

        int received = receivedByKey().values().stream()
                .mapToInt(numbers -> Set.copyOf(numbers).size())
                .sum();
        assertThat(received).isLessThan(BURST);
    }

    private interface Work {
        void run() throws Exception;
    }

    private void killUnderLoad(int kills, Work whileItIsDead) throws Exception {
        JdbcOutboxStore store = open(captured);
        ExecutorService load = Executors.newSingleThreadExecutor();
        for (int kill = 0; kill < kills; kill++) {
            Future<?> burst = load.submit(() -> {
                for (int i = 0; i < BURST; i++) {
                    work(i % KEYS, store);
                }
                return null;
            });
            long before = broker.written(TOPIC);
            while (broker.written(TOPIC) < before + BURST / 4) {
                Thread.onSpinWait();
            }
            database.killConnect();
            whileItIsDead.run();
            database.restartConnect();
            burst.get();
        }
        load.shutdown();
        store.capture().write(List.of(message("last", LAST, Context.NONE)));
    }

    /** Under load, there and back: nothing lost, nothing twice, each key in order. */
    @Test
    void switchLosesNothingRepeatsNothingAndKeepsTheOrder() throws Exception {
        createBusiness();
        database.startConnect("heartbeat.interval.ms", "200");
        AtomicBoolean stopping = new AtomicBoolean();
        AtomicReference<JdbcOutboxStore> writing = new AtomicReference<>(before);
        ExecutorService threads = Executors.newCachedThreadPool();
        List<Future<?>> all = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            int first = thread;
            all.add(threads.submit(() -> {
                for (int i = first; !stopping.get(); i++) {
                    // Half of the nodes has the previous configuration for a while.
                    work(i % KEYS, i % 2 == 0 ? writing.get() : before);
                }
                return null;
            }));
        }
        all.add(threads.submit(() -> {
            DestinationWorker worker = worker();
            while (!stopping.get()) {
                // On a slow machine, the first transaction times out; the next poll tries again.
                worker.poll();
            }
            return null;
        }));
        database.apply("switch.sql");

        untilMore(200);
        assertThatThrownBy(() -> database.execute("CALL outbox_to_cdc('shop', 'orders', 'nobody')"))
                .hasMessageContaining("OBX-0334")
                .hasMessageContaining("nobody reads");
        database.execute("CALL outbox_to_cdc('shop', 'orders', 'outbox')");
        String switched = database.query("SELECT max(seq) FROM outbox_message");
        assertThatThrownBy(() -> database.execute("CALL outbox_to_cdc('shop', 'default', 'outbox')"))
                .hasMessageContaining("OBX-0334: the switch of shop/orders has not ended");
        JdbcOutboxStore after = open(captured);
        after.cdc().require();
        writing.set(after);
        untilMore(200);
        assertThat(database.query("SELECT count(*) FROM outbox_queue")).isEqualTo("0");
        assertThat(database.query("SELECT count(*) FROM outbox_message WHERE transport IS NULL AND seq > " + switched))
                .isEqualTo("0");

        database.execute("CALL outbox_to_dispatcher('shop', 'orders')");
        untilMore(200);
        writing.set(before);
        untilMore(50);
        while (true) {
            try {
                database.execute("CALL outbox_resume_dispatcher('shop', 'orders', 'outbox')");
                break;
            } catch (SQLException e) {
                assertThat(e.getMessage()).contains("has not confirmed");
            }
        }
        untilMore(50);
        endWhileADeliveryReads(threads);
        untilMore(50);
        stopping.set(true);
        for (Future<?> each : all) {
            each.get();
        }
        threads.shutdown();
        DestinationWorker worker = worker();
        before.capture().write(List.of(message("last", LAST, Context.NONE)));
        while (worker.poll() != null) {
            Thread.onSpinWait();
        }

        assertThat(database.query("SELECT count(*) FROM outbox_queue")).isEqualTo("0");
        assertThat(database.query("SELECT count(DISTINCT transport) FROM outbox_message"))
                .isEqualTo("1");
        assertEachKeyIsComplete();
    }

    /** Written by a node that does not know the limit. The way out is that of the page. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void recordThatStopsTheConnectorIsSkipped(boolean exactlyOnce) throws Exception {
        JdbcOutboxStore store = open(captured);
        List<NewMessage> large = List.of(message("1", "x".repeat(1_048_500), Context.NONE));
        assertThatThrownBy(() -> store.capture().require(large)).hasMessageStartingWith("OBX-0351");
        if (exactlyOnce) {
            database.startConnectExactlyOnce();
        } else {
            database.startConnect();
        }
        store.capture().write(List.of(message("1", "before", Context.NONE)));
        store.capture().write(large);
        store.capture().write(List.of(message("2", LAST, Context.NONE)));
        database.awaitFailure();

        database.change("transforms.outbox.skip", large.get(0).id().toString());

        // Their keys have partitions of their own.
        assertThat(receive().stream().map(ConsumerRecord::value).distinct()).containsExactlyInAnyOrder("before", LAST);
    }

    /** The task that is to send to it keeps running. */
    @Test
    void missingTopicIsAFinding() throws Exception {
        OutboxConfig config = TestOutbox.config(
                broker,
                "outbox.destinations.orders.transport",
                "cdc",
                "outbox.destinations.orders.topic",
                "absent",
                "outbox.partitions",
                "4");
        KafkaPublisher publisher = TestOutbox.publisher(config);
        Dispatcher dispatcher = dispatcher(open(config), publisher, config);
        List<Finding> found = new ArrayList<>();
        dispatcher.addListener(new DispatchListener() {
            @Override
            public void slotRead(String outbox, List<DestinationId> destinations, SlotReading slot) {
                found.add(slot.finding());
            }
        });

        dispatcher.refreshBacklog();
        broker.create("absent", Map.of());
        dispatcher.refreshBacklog();
        publisher.stop();

        assertThat(found.get(0).toString())
                .startsWith("OBX-0353: Kafka does not have the topic 'absent' of the destination 'orders'");
        assertThat(found.get(1).code()).as("has no reader").isEqualTo("OBX-0335");
    }

    private void createBusiness() throws SQLException {
        database.execute("CREATE TABLE business (id INT PRIMARY KEY, n INT NOT NULL)");
        database.execute("INSERT INTO business SELECT i, 0 FROM generate_series(0, 7) i");
    }

    private void assertEachKeyIsComplete() throws SQLException {
        Map<String, List<Integer>> byKey = receivedByKey();
        for (int key = 0; key < KEYS; key++) {
            assertThat(byKey.get(String.valueOf(key))).as("key %s", key).containsExactlyElementsOf(numbers(key));
        }
    }

    private Map<String, List<Integer>> receivedByKey() {
        Map<String, List<Integer>> byKey = new TreeMap<>();
        for (ConsumerRecord<String, String> event : receive()) {
            if (!event.value().equals(LAST)) {
                byKey.computeIfAbsent(event.key(), key -> new ArrayList<>()).add(Integer.valueOf(event.value()));
            }
        }
        return byKey;
    }

    /** Those of the transactions of a key, from 1. */
    private List<Integer> numbers(int key) throws SQLException {
        int count = Integer.parseInt(database.query("SELECT n FROM business WHERE id = " + key));
        return IntStream.rangeClosed(1, count).boxed().toList();
    }

    /** A delivery that has read settles in another transaction, which must not wait for this one. */
    private void endWhileADeliveryReads(ExecutorService threads) throws Exception {
        Future<?> end;
        try (Connection delivery = transactions.dataSource().getConnection();
                Statement statement = delivery.createStatement()) {
            delivery.setAutoCommit(false);
            statement.execute("SELECT 1 FROM outbox_message LIMIT 1");
            end = threads.submit(() -> {
                database.execute("CALL outbox_switch_end()");
                return null;
            });
            while (database.query("SELECT count(*) FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'")
                    .equals("0")) {
                Thread.onSpinWait();
            }
            untilMore(1);
            delivery.rollback();
        }
        end.get();
    }

    /** A business transaction, which holds the lock of its row from before the insert until the commit. */
    private void work(int key, JdbcOutboxStore store) throws Exception {
        transactions.inNew(() -> {
            int number;
            try (Connection connection = transactions.dataSource().getConnection();
                    Statement update = connection.createStatement()) {
                update.execute("UPDATE business SET n = n + 1 WHERE id = " + key + " RETURNING n");
                var row = update.getResultSet();
                row.next();
                number = row.getInt(1);
            }
            store.capture().write(List.of(message(String.valueOf(key), String.valueOf(number), Context.NONE)));
            return null;
        });
    }

    private void untilMore(int messages) throws SQLException {
        String query = "SELECT sum(n) FROM business";
        int now = Integer.parseInt(database.query(query));
        while (Integer.parseInt(database.query(query)) < now + messages) {
            Thread.onSpinWait();
        }
    }

    private DestinationWorker worker() {
        return dispatcher(before, TestOutbox.publisher(polling), polling)
                .workers()
                .get("orders");
    }

    private Dispatcher dispatcher(JdbcOutboxStore store, KafkaPublisher publisher, OutboxConfig config) {
        return new Dispatcher(
                store,
                Map.of("kafka", publisher),
                new ThisNode("node-1", "shop", "host", "server", 1, "1.0"),
                () -> config,
                new Environment(transactions, () -> false));
    }

    private void rollBack(String end, JdbcOutboxStore store) throws Exception {
        assertThatThrownBy(() -> transactions.inNew(() -> {
                    store.capture().write(List.of(message("1", "a ghost", Context.NONE)));
                    try (Connection connection = transactions.dataSource().getConnection();
                            Statement statement = connection.createStatement()) {
                        statement.execute(end);
                    }
                    throw new IllegalStateException("rolled back");
                }))
                .hasMessage("rolled back");
    }

    private List<ConsumerRecord<String, String>> receive() {
        return broker.receive(TOPIC, new HashMap<>(), event -> LAST.equals(event.value()));
    }

    private static NewMessage message(String key, String text, Context context) {
        return message(key, null, text, context);
    }

    private static NewMessage message(String key, String aggregateId, String text, Context context) {
        return message(key, aggregateId, OutboxPayload.text(text), context);
    }

    private static NewMessage message(String key, String aggregateId, OutboxPayload payload, Context context) {
        return new NewMessage(
                UUID.randomUUID(),
                new Event("OrderPlaced", 2, "Order", key, aggregateId),
                new Body("application/json", payload),
                context,
                NewMessage.Terms.NONE,
                "orders",
                Instant.now());
    }

    private static Map<String, String> headers(Headers headers) {
        Map<String, String> texts = new TreeMap<>();
        headers.forEach(header -> texts.put(header.key(), text(header.value())));
        return texts;
    }

    private static String text(byte[] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }
}
