package dev.cdioutbox.tests.bench;

import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.dispatch.FakeBroker;
import dev.cdioutbox.internal.dispatch.FakeTransactions;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.internal.store.TestPool;
import dev.cdioutbox.internal.store.UuidV7;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.kafka.KafkaPublisher;
import dev.cdioutbox.kafka.TestOutbox;
import dev.cdioutbox.tests.server.PostgresServer;

/** The engine in this JVM, with the default configuration, on tables of its own. */
final class Engine implements AutoCloseable {
    /** Of a message, in characters of one byte. */
    static final int PAYLOAD = 1024;

    /** Rows of a template. */
    static final int TEMPLATE_ROWS = 1000;

    /** The template of messages that each have a key of their own. */
    static final String KEYS = "keys";

    /** In milliseconds, between the wake-ups of a node: commits would wake a busy node even more often. */
    private static final int WAKE_UP_PERIOD = 20;

    private static final String SESSIONS =
            "SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend'";

    private final PostgresServer server;
    private final String prefix;
    private final TestPool pool;
    private final FakeTransactions transactions;
    private final OutboxConfig config;
    private final KafkaPublisher kafka;
    private final List<String> names;
    private final JdbcOutboxStore business;
    private final String columns;

    /** @param destinations the number of destinations, each with the same part of the messages */
    Engine(PostgresServer server, String prefix, int destinations) throws Exception {
        this(
                server,
                prefix,
                IntStream.range(1, destinations)
                        .boxed()
                        .flatMap(i -> Stream.of("outbox.destinations.d%d.jndi".formatted(i), "jms/d" + i))
                        .toArray(String[]::new));
    }

    /**
     * @param prefix of the tables and the templates
     * @param keysAndValues of the configuration
     */
    Engine(PostgresServer server, String prefix, String... keysAndValues) throws Exception {
        this.server = server;
        this.prefix = prefix;
        pool = new TestPool(server.dataSource());
        transactions = new FakeTransactions(pool.dataSource(), new FakeBroker());
        List<String> properties = new ArrayList<>(List.of("outbox.table-prefix", prefix));
        properties.addAll(List.of(keysAndValues));
        config = TestConfig.of(properties.toArray(String[]::new));
        kafka = TestOutbox.publisher(config);
        names = List.copyOf(config.destinations().keySet());
        business = open();
        columns = server.query(
                        "SELECT string_agg(column_name, ', ') FROM information_schema.columns WHERE table_name = '"
                                + prefix + "message' AND column_name NOT IN ('seq', 'message_id')")
                .get(0);
        saveAs(KEYS, TEMPLATE_ROWS, PAYLOAD);
    }

    /** Keeps messages as a template. */
    void saveAs(String template, int keys, int payload) throws Exception {
        clear();
        write(IntStream.range(0, TEMPLATE_ROWS)
                .mapToObj(i -> message(key(i % keys), ".".repeat(payload), names.get(i % names.size())))
                .toList());
        pool.close();
        server.update("CREATE TABLE %1$s%2$s AS TABLE %1$smessage".formatted(prefix, template));
        clear();
    }

    private JdbcOutboxStore open() {
        return JdbcOutboxStore.open(
                transactions.dataSource(), config.store(), config.destinations().keySet());
    }

    static String key(int number) {
        return "key-" + number;
    }

    /** A key of a partition. */
    static String keyIn(int partition, int partitions) {
        return IntStream.iterate(0, number -> number + 1)
                .mapToObj(Engine::key)
                .filter(key -> PartitionIds.ofKey(key, partitions) == partition)
                .findFirst()
                .orElseThrow();
    }

    /** @param begin the first characters of the payload */
    static NewMessage message(String key, String begin) {
        String payload = begin + ".".repeat(PAYLOAD - begin.length());
        return message(key, payload, OutboxConfig.DEFAULT_DESTINATION);
    }

    static NewMessage message(String key, String payload, String destination) {
        Instant now = Instant.now();
        return new NewMessage(
                UuidV7.next(now.toEpochMilli()),
                new StoredMessage.Event("OrderPlaced", 1, "Order", key),
                new StoredMessage.Body("text/plain", OutboxPayload.text(payload)),
                StoredMessage.Context.NONE,
                NewMessage.Terms.NONE,
                destination,
                now);
    }

    /** Writes messages in a business transaction. */
    void write(List<NewMessage> messages) throws Exception {
        transactions.inNew(() -> {
            business.capture().write(messages);
            return null;
        });
    }

    /** Writes a message in a business transaction, together with other changes. */
    void write(List<String> changes, NewMessage message) throws Exception {
        transactions.inNew(() -> {
            try (Connection connection = transactions.dataSource().getConnection()) {
                for (String change : changes) {
                    execute(connection, change);
                }
            }
            business.capture().write(List.of(message));
            return null;
        });
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    void clear() {
        server.update("TRUNCATE %1$smessage, %1$squeue, %1$sdelivery".formatted(prefix));
    }

    /** Adds copies of a template that wait. The engine would write as many messages much more slowly. */
    void copy(String template, long messages) throws SQLException {
        copy(template, messages, """
                INSERT INTO %1$squeue (seq, queue_id)
                SELECT m.seq, m.partition_id FROM m""");
    }

    /** Adds messages that were published. The engine would deliver as many messages much more slowly. */
    void copyPublished(long messages) throws SQLException {
        copy(
                KEYS,
                messages,
                "INSERT INTO %1$sdelivery (seq, status, settled_at, attempts) SELECT seq, 3, now(), 1 FROM m");
    }

    private void copy(String template, long messages, String rest) throws SQLException {
        String insert = ("""
                WITH m AS (
                  INSERT INTO %1$smessage (message_id, %2$s)
                  SELECT CAST(uuidv7() AS CHAR(36)), %2$s FROM %1$s%3$s ORDER BY seq
                  RETURNING seq, partition_id)
                """ + rest).formatted(prefix, columns, template);
        try (Connection connection = server.connect();
                PreparedStatement copy = connection.prepareStatement(insert)) {
            connection.setAutoCommit(false);
            for (long row = 0; row < messages; row += TEMPLATE_ROWS) {
                copy.executeUpdate();
            }
            connection.commit();
        }
        tidy();
    }

    /** Does the work that the changes have left, and that would slow down the next block at any time. */
    private void tidy() {
        server.update("VACUUM (ANALYZE) %1$smessage, %1$squeue, %1$sdelivery".formatted(prefix));
        server.update("CHECKPOINT");
    }

    /** Returns the number of messages that wait. */
    long waiting() {
        return Long.parseLong(server.query("SELECT COUNT(*) FROM " + prefix + "queue WHERE seq > 0")
                .get(0));
    }

    long lastSequence() {
        return Long.parseLong(
                server.query("SELECT MAX(seq) FROM " + prefix + "message").get(0));
    }

    void deleteAfter(long sequence) {
        for (String table : List.of("message", "queue", "delivery")) {
            server.update("DELETE FROM %s%s WHERE seq > %d".formatted(prefix, table, sequence));
        }
        tidy();
    }

    /**
     * Returns the number of pages that the server has read in these tables and their indexes, from its buffers or from
     * disk.
     */
    long pagesRead() {
        // A session reports its counts at its end. The other sessions of this test have ended.
        await().until(() -> server.query(SESSIONS), List.of("1")::equals);
        return Long.parseLong(server.query("""
                        SELECT SUM(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)
                        FROM pg_statio_user_tables
                        WHERE relname IN ('%1$smessage', '%1$squeue', '%1$sdelivery', '%1$spartition')""".formatted(prefix)).get(0));
    }

    /** Whether two keys share a partition. */
    boolean areTogether(String key, String other) {
        int partitions = config.store().partitions();
        return PartitionIds.ofKey(key, partitions) == PartitionIds.ofKey(other, partitions);
    }

    /** Starts a dispatcher that delivers to an account. */
    Node start(Deliveries deliveries) {
        return new Node(open(), kafka, transactions, config, deliveries);
    }

    int batchSize() {
        return config.dispatcher().batchSize();
    }

    /** Delivers all waiting messages with a number of dispatchers, and checks that there are so many. */
    Deliveries drain(int dispatchers, long messages) throws Exception {
        Deliveries deliveries = new Deliveries();
        List<Node> nodes = new ArrayList<>();
        try {
            for (int node = 0; node < dispatchers; node++) {
                nodes.add(start(deliveries));
            }
            nodes.forEach(Node::checkNodes);
            deliveries.begin();
            do {
                nodes.forEach(Node::wake);
                // A commit wakes the destinations of its messages only.
            } while (!deliveries.await(messages, (long) WAKE_UP_PERIOD * names.size()));
        } finally {
            for (Node node : nodes) {
                node.close();
            }
            pool.close();
        }
        deliveries.check(messages);
        return deliveries;
    }

    @Override
    public void close() throws SQLException {
        pool.close();
    }
}
