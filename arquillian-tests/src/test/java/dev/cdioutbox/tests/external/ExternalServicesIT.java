package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.external.Landscape.awaitLog;
import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.json.JsonObject;

import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The sample works on PostgreSQL and ActiveMQ with the fragments as they are shipped. */
@ExtendWith(Landscape.Started.class)
class ExternalServicesIT {
    private static Landscape landscape;
    private static SampleClient sample;

    @BeforeAll
    static void enter(Landscape started) {
        landscape = started;
        sample = started.sampleOfA;
    }

    @BeforeEach
    void forgetCopies() {
        landscape.awaitQuiet();
        landscape.forget("copy.outbox", "copy.news");
    }

    @Tag("decisive")
    @Test
    void orderReachesTheConsumerOnceAndWhole() throws JMSException {
        String order = sample.placeOrder();

        landscape.awaitQuiet();
        assertThat(landscape.a.log())
                .contains(
                        "OBX-0420: destination 'default': exactly-once (a test transaction of both was committed), with"
                                + " PostgreSQL",
                        "OBX-0420: destination 'news': exactly-once (a test transaction of both");
        assertThat(sample.deliveries(order)).hasSize(1);
        JsonObject stored = sample.messages(order).get(0);
        List<Message> sent = landscape.broker.drain("copy.outbox");
        assertThat(sent).hasSize(1);
        Message message = sent.get(0);
        assertThat(message.getStringProperty("messageId")).isEqualTo(stored.getString("id"));
        assertThat(message.getLongProperty("sequence")).isEqualTo(stored.getInt("sequence"));
        assertThat(message.getStringProperty("eventType")).isEqualTo("OrderPlaced");
        assertThat(message.getIntProperty("schemaVersion")).isEqualTo(1);
        assertThat(message.getStringProperty("aggregateType")).isEqualTo("Order");
        assertThat(message.getStringProperty("aggregateId")).isEqualTo(order);
        assertThat(message.getStringProperty("JMSXGroupID")).isEqualTo(order);
        assertThat(message.getJMSType()).isEqualTo("OrderPlaced");
        assertThat(message.getBody(String.class)).contains(order, "\"customer\":\"Ada\"");
    }

    @Test
    void eventGoesToQueueAndTopic() throws JMSException {
        String order = sample.placeOrder();
        assertThat(sample.post("/api/orders/" + order + "/cancel", "").statusCode())
                .isEqualTo(200);

        landscape.awaitQuiet();
        assertThat(landscape.broker.drain("copy.outbox"))
                .extracting(Message::getJMSType)
                .containsExactly("OrderPlaced", "OrderCancelled");
        List<Message> published = landscape.broker.drain("copy.news");
        assertThat(published).extracting(Message::getJMSType).containsExactly("OrderCancelled");
        assertThat(published.get(0).getStringProperty("aggregateId")).isEqualTo(order);
    }

    /**
     * The server logs the driver's exceptions with stack traces, and PostgreSQL quotes the refused row in its message.
     */
    @Test
    void rowThatTheDatabaseRefusesLeavesNoValuesInTheLog() {
        int before = landscape.a.log().length();
        landscape.database.update(
                "ALTER TABLE outbox_message ADD CONSTRAINT no_lovelace CHECK (payload NOT LIKE '%Lovelace%')");
        try {
            assertThat(sample.post("/api/orders", SampleClient.order("Lovelace", "Tea", "2"))
                            .statusCode())
                    .isGreaterThanOrEqualTo(500);
            awaitLog(landscape.a, before, "no_lovelace");
            assertThat(landscape.a.log().substring(before)).doesNotContain("Lovelace");
        } finally {
            landscape.database.update("ALTER TABLE outbox_message DROP CONSTRAINT no_lovelace");
        }
    }

    /** Without the limit, a suspended node would keep its claims. SuspendedNodeTest shows the effect of a limit. */
    @Test
    void fragmentLimitsSessionsThatAreIdleInATransaction() {
        assertThat(sample.get("/session-setting?name=idle_in_transaction_session_timeout")
                        .body())
                .isEqualTo("3min");
    }

    @Test
    void newDestinationOfARunningServerNeedsARestartAndTheLogSaysSo() {
        int before = landscape.a.log().length();
        landscape.a.set("outbox.destinations.later.jndi", "jms/later");
        try {
            awaitLog(
                    landscape.a,
                    before,
                    "OBX-0218: configuration key(s) changed that are read at start only:"
                            + " outbox.destinations.later.jndi. Restart the application");
        } finally {
            landscape.a.unset("outbox.destinations.later.jndi");
        }
    }

    @Tag("full")
    @Test
    void pauseHoldsOnAllNodesAndTheMetricsSayIt() {
        landscape.database.update("UPDATE outbox_control SET paused = 1 WHERE destination = 'default'");
        try {
            await().atMost(LONG).until(() -> sample.metric("outbox_paused") == 1.0);
            List<String> orders = List.of(sample.placeOrder(), landscape.sampleOfB.placeOrder());
            assertThat(sample.post("/api/orders/" + orders.get(0) + "/cancel", "")
                            .statusCode())
                    .isEqualTo(200);
            // The other destination still delivers: dispatch runs during the pause.
            await().atMost(LONG)
                    .until(() -> !landscape.broker.drain("copy.news").isEmpty());
            assertThat(orders).allSatisfy(order -> assertThat(statuses(order)).contains("PENDING"));
            assertThat(landscape.broker.drain("copy.outbox")).isEmpty();
            // The gauge counts rows of the table, so each node reports the same value.
            for (SampleClient node : List.of(sample, landscape.sampleOfB)) {
                await().atMost(LONG).until(() -> node.metric("outbox_messages", "pending") == 3.0);
                await().atMost(LONG).until(() -> node.metric("outbox_paused") == 1.0);
            }
        } finally {
            landscape.database.update("UPDATE outbox_control SET paused = 0 WHERE destination = 'default'");
        }
        landscape.awaitQuiet();
        assertThat(landscape.broker.drain("copy.outbox")).hasSize(3);
        await().atMost(LONG).until(() -> sample.metric("outbox_paused") == 0.0);
    }

    @Test
    void probeLeavesNoMessageInTheDeadLetterQueue() {
        int before = landscape.a.log().length();
        landscape.a.set("outbox.destinations.default.time-to-live", "PT2H");
        awaitLog(landscape.a, before, "OBX-0420: destination 'default': exactly-once");

        assertThat(landscape.broker.drain("ActiveMQ.DLQ"))
                .extracting(message -> message.getBody(String.class))
                .doesNotContain("outbox probe");
    }

    /** With PostgreSQL's default, XA is impossible. The log alone must name the setting to change. */
    @Tag("full")
    @Test
    void withoutPreparedTransactionsMessagesWaitAndTheLogNamesTheSetting() {
        int before = landscape.a.log().length();
        landscape.database.stop();
        landscape.database.start(0);
        // A changed configuration of the destination starts a new probe, as a start of the server does.
        landscape.a.set("outbox.destinations.default.time-to-live", "PT1H");
        awaitLog(landscape.a, before, "OBX-0403: destination 'default'");
        assertThat(landscape.a.log().substring(before))
                .containsPattern("OBX-0403: destination 'default'.*prepared transactions are disabled");

        String order = sample.placeOrder();
        await().atMost(LONG).until(() -> sample.metric("outbox_messages", "pending") == 1.0);
        assertThat(statuses(order)).containsExactly("PENDING");
        assertThat(landscape.attempts(List.of(order))).containsExactly("0");

        landscape.a.set("outbox.dispatcher.delivery", "at-least-once");
        await().atMost(LONG).until(() -> statuses(order).equals(List.of("PUBLISHED")));
        assertThat(landscape.broker.drain("copy.outbox")).hasSize(1);

        landscape.a.set("outbox.dispatcher.delivery", "exactly-once");
        landscape.database.stop();
        landscape.database.start(Landscape.PREPARED_TRANSACTIONS);
        awaitLog(landscape.a, before, "OBX-0420: destination 'default': exactly-once");
        // The consumer's transaction has two branches too, so the consumer may have given up on this message.
        landscape.delete("message_key = '" + order + "'");
        String next = sample.placeOrder();
        await().atMost(LONG).until(() -> sample.deliveries(next).size() == 1);
    }

    /**
     * A server that dies in its commit and loses its transaction log leaves such a transaction. The test uses the
     * commands of transactions-in-doubt.md.
     */
    @Test
    void messageInDoubtIsShownUntilItsTransactionIsEndedByHand() throws SQLException {
        landscape.database.update("UPDATE outbox_control SET paused = 1 WHERE destination = 'news'");
        landscape.pile(1);
        try (Connection lost = landscape.database.connect();
                Statement statement = lost.createStatement()) {
            lost.setAutoCommit(false);
            statement.executeUpdate("DELETE FROM outbox_queue WHERE status = 0");
            statement.execute("PREPARE TRANSACTION 'lost'");
        }
        landscape.database.update("UPDATE outbox_control SET paused = 0 WHERE destination = 'news'");
        try {
            await().atMost(LONG).until(() -> sample.metric("outbox_in_doubt_messages", "destination=\"news\"") == 1.0);
            assertThat(sample.metric("outbox_in_doubt_messages", "destination=\"default\""))
                    .isZero();
            assertThat(sample.get("/health/ready").body()).contains("\"news.in-doubt\":1", "\"default.in-doubt\":0");
        } finally {
            landscape
                    .database
                    .query("SELECT p.gid FROM pg_prepared_xacts p JOIN outbox_queue q ON q.xmax = p.transaction")
                    .forEach(gid -> landscape.database.update("ROLLBACK PREPARED '" + gid + "'"));
        }
        await().atMost(LONG).until(() -> sample.metric("outbox_in_doubt_messages", "destination=\"news\"") == 0.0);
        assertThat(sample.metric("outbox_in_doubt_age_seconds", "destination=\"news\""))
                .isZero();
    }

    private static List<String> statuses(String order) {
        return sample.messages(order).stream().map(m -> m.getString("status")).toList();
    }
}
