package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.server.Patience.LONG;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpRequest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.json.JsonObject;

import dev.cdioutbox.tests.server.FirstColumn;
import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.LibertyServer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Guards the idempotent consumer of the sample on two servers, which share an ActiveMQ queue and a PostgreSQL. */
@Tag("decisive")
@ExtendWith(Landscape.Started.class)
class ConsumerIT {
    private static final int COPIES = 6;
    private static final int IN_OUTAGE = 200;
    private static final Duration OUTAGE = Duration.ofSeconds(20);
    /** Log entries of a consumer that threw, or whose commit failed. */
    private static final String FAILED = "CNTR0020E.*ShippingBean|WTRN0074E";
    /** The servers whose transaction waits for a lock on a table or on a row. */
    private static final String WAITING = """
            SELECT DISTINCT a.application_name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
            WHERE NOT l.granted AND l.locktype = '%s'""";

    private static Landscape landscape;

    private final String id = UUID.randomUUID().toString();
    private final String order = UUID.randomUUID().toString();

    @BeforeAll
    static void enter(Landscape started) {
        landscape = started;
    }

    @BeforeEach
    void settle() {
        landscape.awaitQuiet();
        landscape.broker.drain("ActiveMQ.DLQ");
    }

    /**
     * The first copy works while the other server's copy waits for its inbox row. Then the first copy fails and the
     * waiting copy takes effect.
     */
    @Test
    void ofCopiesOnTwoServersAtTheSameMomentOneTakesEffectAndNoOtherConsumerFails() throws SQLException {
        // After the death of a broker, a server connects later: then the other one would get all copies.
        await("both servers consume").atMost(LONG).until(() -> landscape.broker.consumers("outbox") > 1);
        int logged = lines(FAILED);
        double skipped = skipped();
        try (Connection work = landscape.database.connect();
                Statement statement = work.createStatement()) {
            work.setAutoCommit(false);
            statement.execute("LOCK TABLE shipment IN SHARE MODE");
            landscape.broker.send("outbox", COPIES, "{\"orderId\":\"" + order + "\"}", properties(1));
            List<String> first = awaitWaiting("relation");
            List<String> second = awaitWaiting("transactionid");
            assertThat(first).hasSize(1).doesNotContainAnyElementsOf(second);

            FirstColumn.of(
                    work, "SELECT pg_cancel_backend(pid) FROM pg_locks WHERE NOT granted AND locktype = 'relation'");
            await("the copy takes over").atMost(LONG).until(() -> awaitWaiting("relation")
                    .equals(second));
            work.rollback();
        }
        await().atMost(LONG).until(() -> skipped() - skipped >= COPIES - 1);

        assertThat(landscape.sampleOfA.deliveries(order)).hasSize(1);
        assertThat(skipped() - skipped).isEqualTo(COPIES - 1);
        assertThat(inbox()).hasSize(1);
        assertThat(lines("OBX-0509: consumer 'shipping': message " + id))
                .as("at most one line a minute on each of two servers")
                .isLessThanOrEqualTo(4);
        assertThat(lines(FAILED) - logged)
                .as("only the one that failed was delivered again")
                .isEqualTo(1);
        assertThat(landscape.sampleOfA.putAside()).isEmpty();
    }

    /** ActiveMQ redelivers a poison message maximumRedeliveries times, and then moves it to its dead letter queue. */
    @Test
    void messageThatCannotBeHandledIsPutAsideLookedAtAndBroughtBack() throws JMSException {
        landscape.broker.send("outbox", "not from an outbox");
        landscape.broker.send("outbox", 1, "{\"orderId\":\"" + order + "\"}", properties(99));

        await().atMost(LONG).until(() -> landscape.sampleOfA.putAside().size() == 2);
        assertThat(lines("CNTR0020E.*ShippingBean.*" + id)).as("deliveries").isEqualTo(5);
        assertThat(inbox()).isEmpty();
        assertThat(landscape.sampleOfA.putAside(1, 1)).hasSize(1);
        assertThat(landscape.sampleOfA.putAside())
                .filteredOn(ConsumerIT::isOurs)
                .singleElement()
                .satisfies(aside -> {
                    assertThat(aside.getString("messageId")).isEqualTo(id);
                    assertThat(aside.getString("orderId")).isEqualTo(order);
                    assertThat(aside.getString("schemaVersion")).isEqualTo("99");
                });

        List<Message> taken = landscape.broker.drain("ActiveMQ.DLQ");
        assertThat(taken).hasSize(2);
        landscape.broker.send("outbox", 1, "{\"orderId\":\"" + order + "\"}", properties(1));
        await().atMost(LONG).until(() -> landscape.sampleOfA.deliveries(order).size() == 1);
        assertThat(landscape.sampleOfA.putAside()).isEmpty();
    }

    /** With the defaults, ActiveMQ gives a message up after some five seconds of failures. */
    @Test
    void messagesOfAnOutageOfTheDatabaseWaitInTheirQueue() {
        landscape.database.stop();
        for (int i = 0; i < IN_OUTAGE; i++) {
            Map<String, Object> properties = new TreeMap<>(properties(1));
            properties.put("messageId", id.substring(0, 30) + i);
            landscape.broker.send("outbox", 1, "{\"orderId\":\"" + order + "\"}", properties);
        }
        await().during(OUTAGE).atMost(OUTAGE.plus(LONG)).until(() -> landscape.broker.isEmpty("ActiveMQ.DLQ"));
        landscape.database.start(Landscape.PREPARED_TRANSACTIONS);

        await().atMost(LONG).until(() -> landscape.sampleOfA.deliveries(order).size() >= IN_OUTAGE);
        assertThat(landscape.sampleOfA.deliveries(order))
                .extracting(delivery -> delivery.getString("messageId"))
                .doesNotHaveDuplicates()
                .hasSize(IN_OUTAGE);
        assertThat(landscape.broker.isEmpty("ActiveMQ.DLQ")).isTrue();
    }

    /**
     * ActiveMQ does not say from which queue a dead letter came, and lets a sender say anything. The outbox knows where it
     * has sent its message.
     */
    @Test
    void deadLetterIsSentBackByTheConsoleToTheQueueOfTheOutboxsRecord() {
        String placed = landscape.sampleOfA.placeOrder();
        await().atMost(LONG).until(() -> landscape.sampleOfA.deliveries(placed).size() == 1);
        String message = landscape
                .database
                .query("SELECT message_id FROM outbox_message WHERE message_key = '" + placed + "'")
                .get(0);
        landscape.broker.send(
                "ActiveMQ.DLQ",
                1,
                "not from an outbox",
                Map.of("_AMQ_ORIG_ADDRESS", "copy.outbox", "_AMQ_ORIG_QUEUE", "copy.outbox"));
        landscape.broker.send("ActiveMQ.DLQ", 1, "{}", Map.of("messageId", message));
        double skipped = skipped();

        JsonObject all = console("GET", "");
        assertThat(all.getJsonArray("letters"))
                .extracting(letter -> letter.asJsonObject().get("origin").toString())
                .containsExactly("null", "\"outbox\"");
        assertThat(all.getJsonArray("unavailable")).hasToString("[\"absent\"]");
        landscape.broker.whileTaken("ActiveMQ.DLQ", "messageId = '" + message + "'", () -> {
            JsonObject overtaken = console("POST", "/send-back?queue=dlq&below=2");
            assertThat(overtaken.getInt("changed")).isZero();
            assertThat(overtaken.isNull("after"))
                    .as("there is no further batch")
                    .isTrue();
            assertThat(overtaken.getString("left"))
                    .as("of the letter that another operator takes, nobody knows whether it stays")
                    .startsWith("OBX-0523: dead letters that stay");
        });
        JsonObject done = console("POST", "/send-back?queue=dlq&below=2");
        assertThat(done.getInt("changed")).isEqualTo(1);
        assertThat(done.getString("left")).startsWith("OBX-0523: dead letters that stay in the queue 'dlq': 1.");
        await().atMost(LONG).until(() -> skipped() - skipped >= 1);

        assertThat(console("POST", "/discard?queue=dlq&below=1").getInt("changed"))
                .isEqualTo(1);
        assertThat(landscape.broker.isEmpty("ActiveMQ.DLQ")).isTrue();
    }

    private static JsonObject console(String method, String letters) {
        return Http.json(Http.send(HttpRequest.newBuilder(landscape.a.url("/outbox/api/v1/dead-letters" + letters))
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .header("X-Outbox-Console", "test")
                        .header(
                                "Authorization",
                                "Basic " + Base64.getEncoder().encodeToString("operator:try-it".getBytes(UTF_8)))))
                .asJsonObject();
    }

    private static boolean isOurs(JsonObject aside) {
        return aside.containsKey("eventType");
    }

    private Map<String, Object> properties(int version) {
        return Map.of(
                "messageId",
                id,
                "eventType",
                "OrderPlaced",
                "schemaVersion",
                version,
                "aggregateId",
                order,
                "sequence",
                1L);
    }

    private static List<String> awaitWaiting(String what) {
        return await().atMost(LONG)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> landscape.database.query(WAITING.formatted(what)), waiting -> !waiting.isEmpty());
    }

    private static double skipped() {
        return landscape.sampleOfA.metric("outbox_duplicates_skipped_total", "shipping")
                + landscape.sampleOfB.metric("outbox_duplicates_skipped_total", "shipping");
    }

    private List<String> inbox() {
        return landscape.database.query("SELECT message_id FROM outbox_inbox WHERE message_id = '" + id + "'");
    }

    private static int lines(String line) {
        Pattern pattern = Pattern.compile(line);
        int lines = 0;
        for (LibertyServer server : List.of(landscape.a, landscape.b)) {
            lines += (int) pattern.matcher(server.log()).results().count();
        }
        return lines;
    }
}
