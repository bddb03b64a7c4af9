package dev.cdioutbox.tests.bench;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonReader;

import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.TestPool;
import dev.cdioutbox.kafka.Broker;
import dev.cdioutbox.kafka.ConnectProcess;
import dev.cdioutbox.tests.server.PostgresServer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The rows of Kafka: the engine and the broker in this JVM, and Kafka Connect beside it. */
class KafkaRows {
    private static final String TOPIC = "bench";
    private static final String RATE = "messages/s";
    private static final String TRANSACTIONS = "transactions/s";
    private static final String RAW_LOOP = "raw transactional producer, batches of 500";
    private static final String BESIDE_EACH_OTHER = "engine with a no-op transport, beside the raw producer";

    /** About as many messages for each second of a block as each way sends. */
    private static final int PER_SECOND = 8_000;

    private static final int RAW_PER_SECOND = 20_000;
    private static final int THREADS = 8;
    private static final int KEYS_OF_A_THREAD = 100;
    private static final int PREPARED_TRANSACTIONS = 10;

    private static final String DISPATCH = "dispatch at-least-once";
    /** The name of slot, publication and connector. */
    private static final String OUTBOX = "outbox";

    private static final String PURCHASE =
            "purchase (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, account INT NOT NULL, item TEXT NOT NULL)";

    /** With the columns that Debezium's event router expects. */
    private static final String BY_HAND = """
            by_hand (
              id            UUID DEFAULT uuidv7() PRIMARY KEY,
              aggregatetype VARCHAR(255) NOT NULL,
              aggregateid   VARCHAR(255) NOT NULL,
              type          VARCHAR(255) NOT NULL,
              payload       TEXT NOT NULL
            )""";

    private static final Set<String> OF_OUR_TRANSFORMATION =
            Set.of("transforms.outbox.application", "transforms.outbox.topics");
    private static final Path CDC = Path.of("..", "liberty-config", "src", "main", "cdi-outbox", "cdc");

    /** Of a module whose tests run Connect; the profile of the benchmark writes it. */
    private static final Path CLASS_PATH = Path.of("..", "outbox-kafka", "target", "connect.classpath");

    /** The JVM of these rows is young. */
    private final Form form = Form.chosen().ofFewPairs().withLongWarmUp();

    private final PostgresServer server = new PostgresServer()
            .with("fsync", "on")
            .with("shared_buffers", "512MB")
            .with("max_wal_size", "4GB");
    private Path folder;
    private Broker broker;
    private TopicReader reader;

    @BeforeEach
    void start() throws Exception {
        // With it, updates and deletes write no more than without, since their tables have primary keys.
        server.with("wal_level", "logical").start(PREPARED_TRANSACTIONS);
        Path processes = Path.of(System.getProperty("test.processes"));
        folder = Files.createTempDirectory(Files.createDirectories(processes), "kafka-rows");
        broker = new Broker(Files.createDirectory(folder.resolve("kafka")));
        broker.create(TOPIC, Map.of());
        broker.create("outbox-markers", Map.of("cleanup.policy", "compact"));
        reader = new TopicReader(broker.address(), TOPIC);
    }

    @AfterEach
    void stop() {
        try (server) {
            reader.close();
            broker.close();
        }
    }

    @Benchmark(Row.K1)
    void dispatch() throws Exception {
        try (Engine two = engine("two_", "outbox.dispatcher.delivery", "at-least-once");
                Engine one = engine(
                        "one_", "outbox.dispatcher.delivery", "at-least-once", "outbox.dispatcher.concurrency", "1");
                Engine sendsNothing = new Engine(server, "nothing_", 1);
                RawProducer producer = new RawProducer(broker.address(), TOPIC, two.batchSize())) {
            Block raw = time -> {
                Deliveries sent = producer.send(RAW_PER_SECOND * time.toSeconds());
                reader.check(sent.count(), KafkaRows::sequence);
                return steady(sent);
            };
            List<Pairs> pairs = Pairs.measure(form, drain(two), List.of(raw, besideEachOther(sendsNothing, producer)));
            result(Row.K1)
                    .add("dispatch", RAW_LOOP, RATE, pairs.get(0))
                    .add("dispatch", BESIDE_EACH_OTHER, RATE, pairs.get(1), null)
                    .add(BESIDE_EACH_OTHER, RAW_LOOP, RATE, pairs.get(1).ofOthers(pairs.get(0)), null)
                    .add("dispatch, concurrency=1", RAW_LOOP, RATE, Pairs.measure(form, drain(one), raw), null)
                    .write(Messaging.KAFKA);
        }
    }

    /**
     * The bound of dispatch on this machine: its two halves, which each take their messages as fast as the other one lets them,
     * and do not wait for each other.
     */
    private Block besideEachOther(Engine sendsNothing, RawProducer producer) {
        return time -> {
            long messages = PER_SECOND * time.toSeconds();
            sendsNothing.clear();
            sendsNothing.copy(Engine.KEYS, messages);
            ExecutorService thread = Executors.newSingleThreadExecutor();
            try {
                long begin = System.nanoTime();
                Future<Deliveries> produced = thread.submit(() -> producer.send(messages));
                sendsNothing.drain(1, messages);
                Deliveries sent = produced.get();
                double seconds = (System.nanoTime() - begin) / 1e9;
                reader.check(sent.count(), KafkaRows::sequence);
                return messages / seconds;
            } finally {
                thread.shutdown();
            }
        };
    }

    @Benchmark(Row.K2)
    void exactlyOnce() throws Exception {
        try (Engine exactly = engine("exactly_", "outbox.dispatcher.delivery", "exactly-once");
                Engine two = engine("two_", "outbox.dispatcher.delivery", "at-least-once");
                Engine one = engine(
                        "one_", "outbox.dispatcher.delivery", "at-least-once", "outbox.dispatcher.concurrency", "1")) {
            List<Pairs> pairs = Pairs.measure(form, drain(exactly), List.of(drain(two), drain(one)));
            result(Row.K2)
                    .add("exactly-once", "at-least-once", RATE, pairs.get(0))
                    .add("exactly-once", "at-least-once, concurrency=1", RATE, pairs.get(1), null)
                    .write(Messaging.KAFKA);
        }
    }

    private Engine engine(String prefix, String... keysAndValues) throws Exception {
        List<String> all = new ArrayList<>(List.of(
                "outbox.transport",
                "kafka",
                "outbox.kafka.bootstrap.servers",
                broker.address(),
                "outbox.destinations.default.topic",
                TOPIC));
        all.addAll(List.of(keysAndValues));
        return new Engine(server, prefix, all.toArray(String[]::new));
    }

    private Block drain(Engine engine) {
        return time -> {
            long messages = PER_SECOND * time.toSeconds();
            engine.clear();
            engine.copy(Engine.KEYS, messages);
            Deliveries sent = engine.drain(1, messages);
            reader.check(messages, KafkaRows::sequence);
            return steady(sent);
        };
    }

    /** Without the first batch: before it, a dispatcher connects, or takes the destination over. */
    private static double steady(Deliveries sent) {
        return sent.rate(1, sent.count());
    }

    private static long sequence(ConsumerRecord<String, String> event) {
        return Long.parseLong(new String(event.headers().lastHeader("sequence").value(), StandardCharsets.UTF_8));
    }

    @Benchmark(Row.K3)
    void changeDataCapture() throws Exception {
        for (String table : List.of("account (id INT PRIMARY KEY, purchases INT NOT NULL)", PURCHASE, BY_HAND)) {
            server.update("CREATE TABLE " + table);
        }
        server.update("INSERT INTO account SELECT n, 0 FROM generate_series(0, 999) n");
        try (Engine polling = engine("polling_", "outbox.dispatcher.delivery", "at-least-once");
                Engine captured = engine("outbox_", "outbox.destinations.default.transport", "cdc");
                TestPool pool = new TestPool(server.dataSource());
                ConnectProcess connect = connect()) {
            Captured ours = new Captured(
                    connect, OUTBOX, "by_hand", (key, begin) -> captured.write(List.of(Engine.message(key, begin))));
            Captured byHand = new Captured(connect, "by_hand", OUTBOX, (key, begin) -> writeByHand(pool, key, begin));
            List<Double> complete = new ArrayList<>();
            List<Double> completeByPolling = new ArrayList<>();
            Block capturing = time -> {
                ours.begin();
                return business(
                        time,
                        (key, begin) -> captured.write(changes(key), Engine.message(key, begin)),
                        messages -> {},
                        complete);
            };
            Block dispatching = time -> {
                ours.pause();
                Deliveries deliveries = new Deliveries();
                try (Node node = polling.start(deliveries)) {
                    SteadyLoad.Writer writer = (key, begin) -> {
                        NewMessage message = Engine.message(key, begin);
                        polling.write(changes(key), message);
                        node.wake(List.of(message));
                    };
                    return business(time, writer, messages -> node.awaitAll(messages, deliveries), completeByPolling);
                }
            };
            result(Row.K3)
                    .add("business transactions", DISPATCH, TRANSACTIONS, Pairs.measure(form, capturing, dispatching))
                    .add(
                            "business transactions, until the last message is in the topic",
                            DISPATCH,
                            TRANSACTIONS,
                            Pairs.afterWarmUp(complete, completeByPolling),
                            null)
                    .add(
                            "median at " + SteadyLoad.PER_SECOND + "/s",
                            "Debezium with a hand-written table",
                            "ms",
                            Pairs.measure(form, median(ours), median(byHand)),
                            Target.atMost(1.2, 1))
                    .note("Kafka Connect", "one worker, standalone, poll.interval.ms=10")
                    .write(Messaging.KAFKA);
        }
    }

    /** Starts a connector for each of the two tables. */
    private ConnectProcess connect() throws Exception {
        String publication = Files.readString(CDC.resolve("publication.sql"))
                .replace(":'application'", "'shop'")
                .replace(":'slot'", "'" + OUTBOX + "'")
                .replace(":\"slot\"", OUTBOX);
        for (String statement : publication.split("(?<=;)\n\n")) {
            execute(statement);
        }
        execute("CREATE PUBLICATION by_hand FOR TABLE by_hand WITH (publish = 'insert')");
        execute("SELECT pg_create_logical_replication_slot('by_hand', 'pgoutput')");
        broker.create("__debezium-heartbeat.outbox", Map.of());
        broker.create("__debezium-heartbeat.by_hand", Map.of());
        String text = "org.apache.kafka.connect.storage.StringConverter";
        Path ours = connector(OUTBOX, Map.of("transforms.outbox.topics", "default:" + TOPIC));
        Path byHand = connector(
                "by_hand",
                Map.of(
                        "topic.prefix", "by_hand",
                        "slot.name", "by_hand",
                        "publication.name", "by_hand",
                        "table.include.list", "public.by_hand",
                        "transforms.outbox.type", "io.debezium.transforms.outbox.EventRouter",
                        "transforms.outbox.route.topic.replacement", TOPIC,
                        "key.converter", text,
                        "value.converter", text,
                        "header.converter", text));
        String modules = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> entry.contains("/outbox-"))
                .collect(Collectors.joining(File.pathSeparator));
        ConnectProcess connect = new ConnectProcess(
                folder,
                modules + File.pathSeparator + Files.readString(CLASS_PATH),
                Map.of("bootstrap.servers", broker.address()),
                ours,
                byHand);
        connect.start();
        for (String slot : List.of(OUTBOX, "by_hand")) {
            awaitActive(slot, true);
        }
        return connect;
    }

    /** Our connector, with some other settings. */
    private Path connector(String name, Map<String, String> settings) throws IOException {
        JsonObject shipped;
        try (JsonReader file = Json.createReader(Files.newBufferedReader(CDC.resolve("connector.json")))) {
            shipped = file.readObject().getJsonObject("config");
        }
        JsonObjectBuilder config = Json.createObjectBuilder();
        shipped.entrySet().stream()
                .filter(entry -> !name.equals("by_hand") || !OF_OUR_TRANSFORMATION.contains(entry.getKey()))
                .forEach(entry -> config.add(entry.getKey(), entry.getValue()));
        config.add("database.port", String.valueOf(server.port()))
                .add("database.dbname", "postgres")
                .add("database.user", "postgres");
        settings.forEach(config::add);
        JsonObject connector = Json.createObjectBuilder()
                .add("name", name)
                .add("config", config)
                .build();
        return Files.writeString(folder.resolve(name + ".json"), connector.toString());
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = server.connect()) {
            Engine.execute(connection, sql);
        }
    }

    private void awaitActive(String slot, boolean active) {
        String query = "SELECT active FROM pg_replication_slots WHERE slot_name = '" + slot + "'";
        await(slot + " is active: " + active)
                .atMost(Duration.ofMinutes(2))
                .until(() -> server.query(query), List.of(active ? "t" : "f")::equals);
    }

    private static void writeByHand(TestPool pool, String key, String begin) throws SQLException {
        try (Connection connection = pool.dataSource().getConnection();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO by_hand (aggregatetype, aggregateid, type, payload) VALUES (?, ?, ?, ?)")) {
            insert.setString(1, "Order");
            insert.setString(2, key);
            insert.setString(3, "OrderPlaced");
            insert.setString(4, begin + ".".repeat(Engine.PAYLOAD - begin.length()));
            insert.executeUpdate();
        }
    }

    /** Of the business. */
    private static List<String> changes(String key) {
        int account = Math.floorMod(key.hashCode(), 1000);
        return List.of(
                "INSERT INTO purchase (account, item) VALUES (" + account + ", 'a thing')",
                "UPDATE account SET purchases = purchases + 1 WHERE id = " + account);
    }

    private interface Settled {
        void await(long messages) throws Exception;
    }

    /**
     * Runs business transactions with one event each, as fast as some threads can, and receives the events.
     *
     * @param complete gets the rate until the last message is in the topic
     */
    private double business(Duration time, SteadyLoad.Writer writer, Settled settled, List<Double> complete)
            throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            long begin = System.nanoTime();
            List<Future<Long>> running = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int first = thread;
                running.add(threads.submit(() -> {
                    long count = 0;
                    for (; System.nanoTime() - begin < time.toNanos(); count++) {
                        // A key belongs to one thread.
                        long key = first + THREADS * (count % KEYS_OF_A_THREAD);
                        writer.write("key-" + key, System.nanoTime() + " ");
                    }
                    return count;
                }));
            }
            long messages = 0;
            for (Future<Long> each : running) {
                messages += each.get();
            }
            double nanos = System.nanoTime() - begin;
            settled.await(messages);
            reader.check(messages, KafkaRows::due);
            complete.add(messages * 1e9 / (System.nanoTime() - begin));
            return messages * 1e9 / nanos;
        } finally {
            threads.shutdown();
        }
    }

    private static long due(ConsumerRecord<String, String> event) {
        return SteadyLoad.due(event.value());
    }

    private Block median(Captured captured) {
        return time -> {
            captured.begin();
            Deliveries deliveries = new Deliveries();
            try (SteadyLoad load = new SteadyLoad(captured.writer)) {
                load.start();
                long end = System.nanoTime() + time.toNanos();
                while (System.nanoTime() < end) {
                    List<ConsumerRecord<String, String>> some = reader.poll();
                    some.forEach(event -> load.arrived(event.key(), event.value()));
                    deliveries.add(some, ConsumerRecord::key, KafkaRows::due);
                }
                reader.check(
                        load.stop(), deliveries, KafkaRows::due, event -> load.arrived(event.key(), event.value()));
                return load.median();
            }
        };
    }

    /** A table that a connector reads. Only that of the current block runs: PostgreSQL decodes its log for each. */
    private final class Captured {
        private final ConnectProcess connect;
        private final String connector;
        private final String other;
        private final SteadyLoad.Writer writer;

        Captured(ConnectProcess connect, String connector, String other, SteadyLoad.Writer writer) {
            this.connect = connect;
            this.connector = connector;
            this.other = other;
            this.writer = writer;
        }

        /** Starts the connector, and waits until it has read what the other blocks have written. */
        void begin() throws Exception {
            stop(other);
            connect.put("/connectors/" + connector + "/resume", "");
            awaitActive(connector, true);
            writer.write("key-0", System.nanoTime() + " ");
            reader.check(1, KafkaRows::due);
        }

        void pause() throws Exception {
            stop(connector);
            stop(other);
        }

        private void stop(String one) throws Exception {
            connect.put("/connectors/" + one + "/stop", "");
            awaitActive(one, false);
        }
    }

    private Result result(Row row) {
        return new Result(row, form)
                .note("PostgreSQL", server.query("SHOW server_version").get(0))
                .note("messages lost, doubled or out of order", 0);
    }
}
