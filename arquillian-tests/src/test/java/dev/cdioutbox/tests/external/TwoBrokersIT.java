package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.external.Landscape.awaitLog;
import static dev.cdioutbox.tests.external.Landscape.secondsSince;
import static dev.cdioutbox.tests.external.Landscape.tell;
import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import jakarta.jms.JMSException;
import jakarta.jms.Message;

import dev.cdioutbox.tests.server.Broker;
import dev.cdioutbox.tests.server.H2Server;
import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.QueuedMessages;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * An outage of one broker or of the database does not affect the other destinations, and dispatch resumes after it. One
 * server sends each order to Liberty's messaging and to ActiveMQ, with Liberty's default timer settings.
 */
@Tag("full")
class TwoBrokersIT {
    private static final String BROKER_IDS =
            "SELECT broker_message_id FROM outbox_message_view WHERE message_key = '%s' AND destination = '%s'";
    /** The length of an outage, in intervals of the dispatcher. */
    private static final int INTERVALS = Integer.getInteger("outage.intervals");

    private static final int WORKERS = 3;
    private static final int MEBIBYTE = 1 << 20;

    private static Broker broker;
    private static H2Server database;
    private static LibertyServer server;
    private static SampleClient sample;

    @BeforeAll
    static void start() {
        broker = new Broker("billing").start();
        database = new H2Server("two-brokers-h2").start();
        server = LibertyServer.sample("two-brokers", "two-brokers.xml")
                .on(database)
                .withHeap("256m")
                .set("cdioutbox.activemq.broker", broker.url())
                // A claim takes all partitions, so that all pending messages can form one batch.
                .set("outbox.dispatcher.max-partitions", "64")
                // Turns off ActiveMQ's inactivity check, which would close the connection to a frozen broker.
                .set("cdioutbox.activemq.parameters", "&amp;wireFormat.maxInactivityDuration=0")
                .start();
        sample = new SampleClient(server::url);
    }

    @AfterAll
    static void stop() {
        server.close();
        broker.close();
        database.close();
    }

    /** Ends the outage of a test and empties the queues, so that the next test finds no message. */
    @AfterEach
    void clear() {
        broker.startIfDown();
        broker.thaw();
        server.set("outbox.destinations.parts.jndi", "jms/parts").set("outbox.dispatcher.enabled", "true");
        awaitPublished("parts");
        awaitPublished("billing");
        billed();
    }

    @Test
    void unreachableBrokerBlocksNoOtherDestinationAndItsMessagesFollowLater() throws JMSException {
        String first = sample.placeOrder();
        await().atMost(LONG).until(() -> published(first) == 2);
        assertThat(server.log())
                .contains(
                        "OBX-0420: destination 'default': exactly-once",
                        "OBX-0420: destination 'billing': exactly-once");

        broker.stop();
        String second = sample.placeOrder();
        await().atMost(LONG).until(() -> sample.deliveries(second).size() == 1 && published(second) == 1);
        int before = server.log().length();
        server.set("outbox.destinations.billing.jndi", "jms/billing-moved").set("outbox.dispatcher.enabled", "false");
        // The changed JNDI name has no log line; the server has applied it when it logs this later change.
        awaitLog(server, before, "dispatcher.enabled is now false");
        broker.start();
        server.set("outbox.dispatcher.enabled", "true");
        await().atMost(LONG).until(() -> published(second) == 2);

        assertThat(sample.deliveries(first)).hasSize(1);
        assertThat(sample.deliveries(second)).hasSize(1);
        List<Message> billed = broker.drain("billing");
        List<Message> moved = broker.drain("billing-moved");
        assertThat(billed).extracting(TwoBrokersIT::aggregateId).containsExactly(first);
        assertThat(moved).extracting(TwoBrokersIT::aggregateId).containsExactly(second);
        assertStrangersGetTheEventAndNothingElse(billed.get(0));
        assertThat(database.texts(BROKER_IDS.formatted(first, "billing")))
                .containsExactly(billed.get(0).getJMSMessageID());
        assertThat(database.texts(BROKER_IDS.formatted(second, "billing")))
                .containsExactly(moved.get(0).getJMSMessageID());
        assertThat(database.texts(BROKER_IDS.formatted(first, "default")))
                .singleElement()
                .satisfies(id -> assertThat(id).startsWith("ID:"));
    }

    @Test
    void deletedQueueOfEmbeddedMessagingIsAnOutageAndNoMessageIsCharged() {
        WorkerObserver parts = new WorkerObserver(server, "parts");
        server.set("outbox.destinations.parts.jndi", "jms/vanished");
        // The server may still publish some of these messages before it applies the change.
        await().atMost(LONG).until(() -> {
            pile("parts", 1, 10);
            return parts.failedRuns() > 0;
        });
        database.update("DELETE FROM outbox_message WHERE destination = 'parts'"
                + " AND seq IN (SELECT seq FROM outbox_delivery WHERE status = 3)");
        database.update("DELETE FROM outbox_delivery WHERE seq NOT IN (SELECT seq FROM outbox_message)");
        pile("parts", 200, 10);
        String order = sample.placeOrder();
        parts.awaitFailedRuns(INTERVALS);
        assertThat(attempts("parts", "PENDING")).containsExactly("0");
        assertThat(published(order)).isEqualTo(2);

        server.set("outbox.destinations.parts.jndi", "jms/parts");
        awaitPublished("parts");
        assertThat(attempts("parts", "PUBLISHED")).containsExactly("1");
        assertThat(parts.lines("WARNING.*destination 'parts'")).hasSizeBetween(1, 3);
    }

    /** Liberty moves the messages of a deleted queue there, and a probe's temporary queue is deleted. */
    @Test
    void fullQueueOfDeadLettersStopsNoOtherDestination() {
        int before = server.log().length();
        server.set("outbox.destinations.parts.jndi", "jms/exceptions");
        awaitLog(server, before, "OBX-0420: destination 'parts'");
        pile("parts", 10, 10);
        // It has reached its depth.
        awaitLog(server, before, "CWSIP0553W");

        // Each changed configuration is probed.
        int full = server.log().length();
        server.set("outbox.destinations.default.time-to-live", "PT1H");
        awaitLog(server, full, "OBX-0420: destination 'default': exactly-once");
        String order = sample.placeOrder();

        await().atMost(LONG).until(() -> sample.deliveries(order).size() == 1);
        assertThat(server.log().substring(full)).doesNotContain("CWSIP0247E", "CWSIP0291W", "OBX-0403");
        server.unset("outbox.destinations.default.time-to-live");
    }

    @Test
    void databaseThatWasAwayIsUsedAgainWithinTwoIntervals() {
        WorkerObserver billing = new WorkerObserver(server, "billing");
        WorkerObserver parts = new WorkerObserver(server, "parts");
        database.stop();
        billing.awaitFailedRuns(INTERVALS);
        parts.awaitFailedRuns(INTERVALS);
        database.start();
        int billingAtReturn = billing.failedRuns();
        int partsAtReturn = parts.failedRuns();
        pile("parts", 50, 10);
        pile("billing", 50, 10);
        awaitPublished("parts");
        awaitPublished("billing");
        billing.assertResumedWithinTwoIntervals(billingAtReturn);
        parts.assertResumedWithinTwoIntervals(partsAtReturn);
        billing.assertQuietLog(WORKERS);
        parts.assertQuietLog(WORKERS);
    }

    /** Guards batch-max-bytes: a claim of all these messages could exhaust the server's heap of 256 MiB. */
    @Test
    void messagesOfOneMebibyteAreSentInBatchesThatFit() {
        WorkerObserver parts = new WorkerObserver(server, "parts");
        pile("parts", 60, MEBIBYTE);
        pile("billing", 10, MEBIBYTE);
        awaitPublished("parts");
        awaitPublished("billing");
        assertThat(attempts("parts", "PUBLISHED")).containsExactly("1");
        assertThat(parts.lines("OBX-0401|OBX-0411|OutOfMemory")).isEmpty();
        assertThat(billed()).hasSize(10);
    }

    @Test
    void messageTooLargeForTheBrokerIsAbandonedAtOnceAndBlocksNoOther() {
        WorkerObserver billing = new WorkerObserver(server, "billing");
        pile("billing", 20, 10);
        pile("billing", 1, 3 * MEBIBYTE);
        pile("billing", 20, 10);
        awaitPublished("billing");
        assertThat(database.texts(
                        "SELECT status || ' ' || attempts FROM outbox_message_view WHERE CHAR_LENGTH(payload) = "
                                + 3 * MEBIBYTE))
                .containsExactly("ABANDONED 1");
        assertThat(billed()).hasSize(40);
        assertThat(billing.lines("OBX-0405")).hasSize(1);
        assertThat(billing.lines("OBX-0401|OBX-0411")).isEmpty();
    }

    @Test
    void hangingSendBlocksNoOtherDestinationIsReportedByHealthAndDoesNotDelayTheStop() {
        WorkerObserver billing = new WorkerObserver(server, "billing");
        WorkerObserver other = new WorkerObserver(server, "default");
        broker.freeze();
        String first = sample.placeOrder();
        await().atMost(LONG).until(() -> billing.silentSeconds() >= 3);
        String second = sample.placeOrder();
        await().atMost(LONG).until(() -> published(first) == 1 && published(second) == 1);
        assertThat(other.silentSeconds()).isLessThan(billing.silentSeconds());
        assertThat(billing.failedRuns()).isZero();
        assertThat(Http.get(server.url("/health/live")).statusCode()).isEqualTo(200);
        assertThat(Http.get(server.url("/health/ready")).statusCode()).isEqualTo(200);

        long start = System.nanoTime();
        server.undeploy();
        awaitLog(server, billing.from(), "CWWKZ0009I");
        tell("undeployed while a send never returned, within %.1f s", secondsSince(start));
        server.deploy();
        await().atMost(LONG).until(server::answers);
        broker.thaw();
        await().atMost(LONG).until(() -> published(first) == 2 && published(second) == 2);
        assertThat(billed()).extracting(TwoBrokersIT::aggregateId).containsExactlyInAnyOrder(first, second);
    }

    private static void pile(String destination, int messages, int bytes) {
        pile(destination, messages, "0".repeat(bytes));
    }

    /** Inserts messages of 64 keys. No request writes them, so no wake-up starts a worker. */
    private static void pile(String destination, int messages, String text) {
        database.update(QueuedMessages.onH2("""
                INSERT INTO outbox_message (message_id, application, event_type, schema_version, message_key, partition_id,
                  destination, content_type, payload, payload_bytes, occurred_at)
                SELECT CAST(RANDOM_UUID() AS CHAR(36)), p.application, 'OrderPlaced', 1, 'key-' || MOD(x, 64), p.id,
                  p.destination, 'application/json', ?, %d, CURRENT_TIMESTAMP
                FROM SYSTEM_RANGE(1, %d)
                JOIN outbox_partition p ON p.destination = '%s' AND p.partition_no = 2 + MOD(x, 64)
                ORDER BY x""".formatted(text.length(), messages, destination)), text);
    }

    private static void awaitPublished(String destination) {
        await(destination + " is published").atMost(LONG).until(() -> database.texts(
                        "SELECT seq FROM outbox_message_view WHERE status IN ('PENDING', 'FAILED') AND destination = '%s'"
                                .formatted(destination))
                .isEmpty());
    }

    private static List<String> attempts(String destination, String status) {
        return database.texts(
                "SELECT DISTINCT attempts FROM outbox_message_view WHERE destination = '%s' AND status = '%s'"
                        .formatted(destination, status));
    }

    /** The destination may point to either queue when a test ends. */
    private static List<Message> billed() {
        List<Message> messages = new ArrayList<>(broker.drain("billing"));
        messages.addAll(broker.drain("billing-moved"));
        return messages;
    }

    private static void assertStrangersGetTheEventAndNothingElse(Message message) throws JMSException {
        Set<String> properties = new TreeSet<>();
        Collections.list((Enumeration<?>) message.getPropertyNames()).forEach(name -> properties.add((String) name));
        assertThat(properties)
                .contains("messageId", "eventType", "aggregateId", "cloudEvents_specversion")
                .doesNotContain("sequence", "tenantId", "causationId");
        assertThat(message.getJMSCorrelationID()).isNull();
        assertThat(message.getStringProperty("cloudEvents_id")).isEqualTo(message.getStringProperty("messageId"));
        assertThat(message.getStringProperty("cloudEvents_source")).isEqualTo("https://shop.example/orders");
        assertThat(message.getStringProperty("cloudEvents_subject")).isEqualTo(aggregateId(message));
    }

    private static long published(String order) {
        return sample.messages(order).stream()
                .filter(message -> "PUBLISHED".equals(message.getString("status")))
                .count();
    }

    private static String aggregateId(Message message) throws JMSException {
        return message.getStringProperty("aggregateId");
    }
}
