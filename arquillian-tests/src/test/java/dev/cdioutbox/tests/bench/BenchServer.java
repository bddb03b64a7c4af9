package dev.cdioutbox.tests.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jakarta.json.JsonObject;

import dev.cdioutbox.tests.bench.app.BenchServlet;
import dev.cdioutbox.tests.bench.app.WokenByHand;
import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.server.Broker;
import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.PostgresServer;
import org.HdrHistogram.Histogram;

/**
 * Open Liberty with the application of the benchmark, PostgreSQL with fsync, and a broker. It compares the messages in the
 * queue with the table.
 */
final class BenchServer implements AutoCloseable {
    private static final Duration SOON = Duration.ofSeconds(60);
    /** At full rate, a way that sends row by row needs minutes for what a warm-up has written. */
    private static final Duration LONGEST_BLOCK = Duration.ofMinutes(5);

    private static final int PREPARED_TRANSACTIONS = 200;
    /** A request must end before its time-out. */
    private static final long AT_ONCE = 50_000;

    private static final Pattern LIBERTY = Pattern.compile("Open Liberty ([0-9.]+)");

    /** What the outbox publishes to the queue that no consumer reads. */
    private static final String PUBLISHED =
            "FROM outbox_message JOIN outbox_delivery USING (seq) WHERE destination = 'default' AND status = 3";

    private final PostgresServer database = new PostgresServer()
            .with("fsync", "on")
            .with("shared_preload_libraries", "pg_stat_statements")
            .start(PREPARED_TRANSACTIONS);
    private final Messaging messaging;
    private final Optional<Broker> broker;
    private final LibertyServer server;
    private Receipt published = Receipt.NONE;
    private Receipt otherwise = Receipt.NONE;
    private long lost;
    private boolean dispatching = true;
    private String delivery = "exactly-once";

    /** Messages that were taken from a queue; see the record of the same name in the application. */
    private record Receipt(long messages, long sum, long duplicates, long outOfOrder) {
        static final Receipt NONE = new Receipt(0, 0, 0, 0);

        Receipt plus(JsonObject more) {
            return plus(new Receipt(
                    more.getInt("messages"),
                    more.getJsonNumber("sum").longValue(),
                    more.getInt("duplicates"),
                    more.getInt("outOfOrder")));
        }

        Receipt plus(Receipt more) {
            return new Receipt(
                    messages + more.messages,
                    sum + more.sum,
                    duplicates + more.duplicates,
                    outOfOrder + more.outOfOrder);
        }
    }

    /** @param more packages of the application that only some rows need */
    BenchServer(Messaging messaging, Package... more) {
        this.messaging = messaging;
        broker = messaging == Messaging.ACTIVEMQ
                ? Optional.of(new Broker("bench-broker").inProduction().start())
                : Optional.empty();
        database.update("CREATE EXTENSION pg_stat_statements");
        database.update("CREATE TABLE account (id INT PRIMARY KEY, purchases INT NOT NULL)");
        database.update("INSERT INTO account SELECT n, 0 FROM generate_series(0, 999) n");
        database.update("CREATE TABLE purchase (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
                + " account INT NOT NULL, item VARCHAR(100) NOT NULL)");
        database.update("CREATE TABLE by_hand (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
                + " message_key VARCHAR(255) NOT NULL, payload TEXT NOT NULL)");
        database.update("CREATE TABLE by_hand_partition (id INT PRIMARY KEY)");
        database.update("INSERT INTO by_hand_partition SELECT n FROM generate_series(0, %d) n"
                .formatted(WokenByHand.PARTITIONS - 1));
        server = LibertyServer.sample("bench", messaging.serverXml())
                .running(
                        Deployments.withGruelbox(Deployments.bare("sample.war"))
                                .addPackage(BenchServlet.class.getPackage())
                                .addPackages(false, more)
                                .addAsLibraries(Deployments.jar(Histogram.class)),
                        "/bench/ready")
                .set("cdioutbox.postgresql.port", String.valueOf(database.port()))
                .set("cdioutbox.postgresql.database", "postgres")
                .set("cdioutbox.postgresql.user", "postgres")
                .optimizing();
        broker.ifPresent(process -> server.set("cdioutbox.activemq.broker", process.url()));
        try {
            server.start();
            for (String table : List.of("message", "queue")) {
                database.update("CREATE TABLE same_%1$s (LIKE outbox_%1$s INCLUDING ALL)".formatted(table));
            }
        } catch (RuntimeException | Error e) {
            broker.ifPresent(Broker::close);
            database.close();
            throw e;
        }
    }

    PostgresServer database() {
        return database;
    }

    LibertyServer server() {
        return server;
    }

    /** The broker in a process of its own. */
    Broker broker() {
        return broker.orElseThrow();
    }

    /** Runs a block of {@link BenchServlet}. */
    JsonObject call(String block, Object... parameters) {
        StringBuilder query = new StringBuilder("/bench/" + block);
        for (int i = 0; i < parameters.length; i += 2) {
            query.append(i == 0 ? '?' : '&').append(parameters[i]).append('=').append(parameters[i + 1]);
        }
        HttpResponse<String> answer = Http.get(server.url(query.toString()), LONGEST_BLOCK);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return Http.json(answer).asJsonObject();
    }

    /** Runs a block for a time. */
    JsonObject call(String block, Duration time, Object... parameters) {
        Object[] all = Arrays.copyOf(parameters, parameters.length + 2);
        all[parameters.length] = "millis";
        all[parameters.length + 1] = time.toMillis();
        return call(block, all);
    }

    /** Returns what a block did in a second. */
    static double rate(JsonObject done) {
        return rate(done, "nanos");
    }

    static double rate(JsonObject done, String nanos) {
        return done.getJsonNumber("count").doubleValue()
                * TimeUnit.SECONDS.toNanos(1)
                / done.getJsonNumber(nanos).doubleValue();
    }

    /** Stores messages until so many wait to be dispatched. */
    void fill(long wanted) {
        long missing = wanted - number("SELECT count(*) FROM outbox_queue WHERE seq > 0");
        for (; missing > 0; missing -= AT_ONCE) {
            call("fire", "count", Math.min(missing, AT_ONCE));
        }
    }

    /** Stores rows until so many wait in the table of gruelbox. */
    void fillGruelbox(long wanted) {
        for (long part = Math.min(wanted, AT_ONCE); part < wanted; part += AT_ONCE) {
            call("gruelbox-fill", "wanted", part);
        }
        call("gruelbox-fill", "wanted", wanted);
    }

    /** Stores rows until so many wait in the hand-written table. */
    void fillByHand(long wanted) {
        long missing = wanted - number("SELECT count(*) FROM by_hand");
        database.update("INSERT INTO by_hand (message_key, payload)"
                + " SELECT 'backlog-' || n % 1000, repeat('x', 1024) FROM generate_series(1, " + missing + ") n");
    }

    /** Turns the dispatcher on or off, and waits until the server has noticed. */
    void dispatch(boolean enabled) {
        if (enabled != dispatching) {
            int before = server.log().length();
            server.set("outbox.dispatcher.enabled", String.valueOf(enabled));
            await("the dispatcher's switch")
                    .atMost(SOON)
                    .until(() -> server.log().indexOf("OBX-0408", before) >= 0);
            dispatching = enabled;
        }
    }

    /** Sets {@code outbox.dispatcher.delivery}, and waits until the server has logged the new guarantee. */
    void deliver(String wanted) {
        if (wanted.equals(delivery)) {
            return;
        }
        delivery = wanted;
        int before = server.log().length();
        server.set("outbox.dispatcher.delivery", delivery);
        await(delivery)
                .atMost(SOON)
                .until(() -> server.log().indexOf("OBX-0420: destination 'default': " + delivery, before) >= 0);
    }

    /** Takes from the queue what the outbox has published so far. */
    void receivePublished() {
        published = published.plus(empty("jms/outbox", number("SELECT count(*) " + PUBLISHED) - published.messages()));
    }

    /** Takes from the queue what was sent without the outbox, and compares the number. */
    void receiveRaw(long sent) {
        Receipt receipt = empty("jms/raw", sent);
        otherwise = otherwise.plus(receipt);
        lost += sent - receipt.messages();
    }

    /** Takes all messages from a queue. So many of them must come. */
    private Receipt empty(String queue, long wanted) {
        Receipt all = Receipt.NONE;
        long before;
        do {
            before = all.messages();
            all = all.plus(call(
                    "empty",
                    "queue",
                    queue,
                    "most",
                    AT_ONCE,
                    "wanted",
                    Math.max(0, wanted - before),
                    "patience",
                    messaging.patience().toMillis()));
        } while (all.messages() - before >= AT_ONCE);
        return all;
    }

    /** Notes what the consumer of the timed queue received. */
    void received(JsonObject measured) {
        otherwise = new Receipt(
                otherwise.messages() + measured.getInt("messages"),
                otherwise.sum(),
                otherwise.duplicates() + measured.getInt("duplicates"),
                otherwise.outOfOrder() + measured.getInt("outOfOrder"));
    }

    /**
     * Compares the received messages with the table, and empties the tables for the next row. The dispatcher is paused
     * or has nothing to do. The sums show that each message came, and not another one twice.
     */
    Map<String, String> account() {
        await("the messages of the last batch").atMost(SOON).untilAsserted(() -> {
            receivePublished();
            receiveRaw(0);
            assertThat(lost)
                    .as("messages sent without the outbox and not received")
                    .isZero();
            assertThat(published.messages())
                    .as("messages of the outbox received")
                    .isGreaterThanOrEqualTo(number("SELECT count(*) " + PUBLISHED));
        });
        long stored = number("SELECT count(*) " + PUBLISHED);
        Map<String, String> account = new TreeMap<>();
        account.put("messages checked", String.valueOf(published.messages() + otherwise.messages()));
        account.put("messages lost", String.valueOf(stored - published.messages() + lost));
        account.put("duplicates", String.valueOf(published.duplicates() + otherwise.duplicates()));
        account.put("out of order in their key", String.valueOf(published.outOfOrder() + otherwise.outOfOrder()));
        assertThat(published.messages()).as("published and received").isEqualTo(stored);
        assertThat(published.sum())
                .as("sum of the sequences")
                .isEqualTo(number("SELECT COALESCE(sum(seq), 0) " + PUBLISHED));
        assertThat(account)
                .containsEntry("messages lost", "0")
                .containsEntry("duplicates", "0")
                .containsEntry("out of order in their key", "0");
        published = Receipt.NONE;
        otherwise = Receipt.NONE;
        lost = 0;
        emptyTables();
        return account;
    }

    void emptyTables() {
        database.update(
                "TRUNCATE outbox_message, outbox_queue, outbox_delivery, same_message, same_queue, by_hand, purchase");
    }

    long number(String sql) {
        return Long.parseLong(database.query(sql).get(0));
    }

    /** The CPU time of all processes. */
    Duration cpu() {
        return server.cpu().plus(database.cpu()).plus(broker.map(Broker::cpu).orElse(Duration.ZERO));
    }

    Map<String, String> conditions() {
        Map<String, String> conditions = new TreeMap<>();
        Matcher version = LIBERTY.matcher(server.log());
        conditions.put("Open Liberty", version.find() ? version.group(1) : "unknown");
        conditions.put(
                "PostgreSQL", database.query("SHOW server_version").get(0) + ", fsync on, synchronous_commit on");
        conditions.put("broker", messaging.conditions());
        conditions.put("payload", "1 KiB");
        conditions.put("outbox", "default settings");
        return conditions;
    }

    @Override
    public void close() {
        server.close();
        broker.ifPresent(Broker::close);
        database.close();
    }
}
