package dev.cdioutbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.DestinationWorker;
import dev.cdioutbox.internal.dispatch.Dispatcher;
import dev.cdioutbox.internal.dispatch.FakeBroker;
import dev.cdioutbox.internal.dispatch.FakeTransactions;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.StoredMessage.Body;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The way from Debezium's outbox event router to this outbox: by the queries of docs/howto/coming-from.md, the outbox sends only when
 * all that was written before is in Kafka.
 */
@Tag("full")
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class LeavingDebeziumTest {
    private static final Path PAGE = Path.of("..", "docs", "howto", "coming-from.md");
    private static final Pattern SQL = Pattern.compile("(?ms)^```sql\\n(.*?);\\n```");

    /** The router adds the type of the aggregate. */
    private static final String TOPIC = "outbox.event.Order";

    private static final int KEYS = 3;
    private static final int OLD = 30;
    private static final int ALL = 60;

    @TempDir
    Path folder;

    @Test
    void outboxSendsAfterAllThatTheConnectorStillHad() throws Exception {
        try (Broker broker = new Broker(Files.createDirectory(folder.resolve("broker")));
                CapturedDatabase database = new CapturedDatabase(folder, broker)) {
            broker.create(TOPIC, Map.of());
            broker.create("__debezium-heartbeat.outbox", Map.of());
            createTable(database);
            startConnector(database);
            database.stopConnect();
            for (int number = 0; number < OLD; number++) {
                writeOld(database, number);
            }
            FakeTransactions transactions = new FakeTransactions(database.dataSource(), new FakeBroker());
            OutboxConfig config = TestOutbox.config(broker, "outbox.destinations.orders.topic", TOPIC);
            JdbcOutboxStore store = JdbcOutboxStore.open(
                    transactions.dataSource(),
                    config.store(),
                    config.destinations().keySet());
            String position = database.query(documented(0));
            String isDrained = documented(1).replace("0/16B3748", position).replace("'debezium'", "'outbox'");

            IntStream.range(OLD, ALL).forEach(number -> store.capture().write(List.of(message(number))));
            assertThat(database.query(isDrained)).isEqualTo("f");
            startConnector(database);
            while (!database.query(isDrained).equals("t")) {
                Thread.onSpinWait();
            }
            DestinationWorker worker = new Dispatcher(
                            store,
                            Map.of("kafka", TestOutbox.publisher(config)),
                            new ThisNode("node-1", "shop", "host", "server", 1, "1.0"),
                            () -> config,
                            new Environment(transactions, () -> false))
                    .workers()
                    .get("orders");
            while (broker.written(TOPIC) < ALL) {
                worker.poll();
            }

            assertEachKeyIsInOrderAndInOnePartition(broker);
        }
    }

    /** As Debezium's documentation shows it. */
    private static void createTable(CapturedDatabase database) throws SQLException {
        database.execute("""
                CREATE TABLE outboxevent (
                  id UUID NOT NULL PRIMARY KEY,
                  aggregatetype VARCHAR(255) NOT NULL,
                  aggregateid VARCHAR(255) NOT NULL,
                  type VARCHAR(255) NOT NULL,
                  payload JSONB)""");
        database.execute("CREATE ROLE outbox_reader LOGIN REPLICATION PASSWORD 'secret'");
        database.execute("GRANT SELECT ON outboxevent TO outbox_reader");
        database.execute("CREATE PUBLICATION outbox FOR TABLE outboxevent");
        database.execute("SELECT pg_create_logical_replication_slot('outbox', 'pgoutput')");
    }

    private static void startConnector(CapturedDatabase database) throws Exception {
        String text = "org.apache.kafka.connect.storage.StringConverter";
        database.startConnect(
                "table.include.list",
                "public.outboxevent",
                "transforms.outbox.type",
                "io.debezium.transforms.outbox.EventRouter",
                "heartbeat.interval.ms",
                "200",
                "key.converter",
                text,
                "value.converter",
                text,
                "header.converter",
                text);
    }

    /** Deletes the row at once, as many applications do. */
    private static void writeOld(CapturedDatabase database, int number) throws SQLException {
        database.execute("INSERT INTO outboxevent VALUES (gen_random_uuid(), 'Order', '%s', 'OrderPlaced', '%d')"
                .formatted(key(number), number));
        database.execute("DELETE FROM outboxevent");
    }

    private static NewMessage message(int number) {
        return new NewMessage(
                UUID.randomUUID(),
                new Event("OrderPlaced", 1, "Order", key(number), null),
                new Body("application/json", OutboxPayload.text(String.valueOf(number))),
                Context.NONE,
                NewMessage.Terms.NONE,
                "orders",
                Instant.now());
    }

    private static String key(int number) {
        return "key-" + number % KEYS;
    }

    private static void assertEachKeyIsInOrderAndInOnePartition(Broker broker) {
        List<ConsumerRecord<String, String>> received =
                broker.receive(TOPIC, new HashMap<>(), event -> event.value().equals(String.valueOf(ALL - 1)));
        for (int first = 0; first < KEYS; first++) {
            String name = key(first);
            List<ConsumerRecord<String, String>> ofKey =
                    received.stream().filter(event -> event.key().equals(name)).toList();
            assertThat(ofKey.stream().map(event -> Integer.valueOf(event.value())))
                    .containsExactlyElementsOf(IntStream.iterate(first, number -> number < ALL, number -> number + KEYS)
                            .boxed()
                            .toList());
            assertThat(ofKey.stream().map(ConsumerRecord::partition).distinct()).hasSize(1);
        }
    }

    /** A query below the heading on Debezium. */
    private static String documented(int block) throws Exception {
        String page = Files.readString(PAGE);
        return SQL.matcher(page.substring(page.indexOf("\n## Debezium\n")))
                .results()
                .toList()
                .get(block)
                .group(1);
    }
}
