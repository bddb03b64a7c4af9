package dev.cdioutbox.tests.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleClient;
import dev.cdioutbox.tests.server.SampleDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The sample as its users start it, with a dispatcher that only promises at-least-once, and killed in the middle: each order
 * takes effect once. What a crash between the broker's commit and the settling leaves behind is made by hand, for every
 * message there is and not just those in flight. With thousands of messages, and effects in another database:
 * {@link dev.cdioutbox.tests.external.EachEffectOnceIT}.
 */
class ForcedDuplicatesIT {
    private static final Duration SOON = Duration.ofMinutes(3);
    private static final int ORDERS = 100;

    private final LibertyServer server = LibertyServer.sample("duplicates");
    private final SampleClient sample = new SampleClient(server::url);

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void everyOrderTakesEffectOnceAndWhatCannotBeHandledEndsWhereItCanBeLookedAt() throws Exception {
        server.set("outbox.dispatcher.delivery", "at-least-once").start();
        List<String> acknowledged;
        try (OrderStream orders = new OrderStream(sample)) {
            await().atMost(SOON).until(() -> orders.acknowledged().size() > ORDERS);
            server.kill();
            orders.awaitEnd();
            acknowledged = orders.acknowledged();
        }
        int forced;
        int pending;
        try (SampleDatabase database = server.database()) {
            // Those that shipping has not seen are duplicates too, of what waits in the queue.
            forced = database.update("""
                    UPDATE outbox_message m SET status = 'PENDING', available_at = NULL, published_at = NULL,
                      queue_id = (SELECT p.id FROM outbox_partition p WHERE p.application = m.application
                        AND p.destination = m.destination AND p.partition_no = m.partition_no)
                    WHERE status = 'PUBLISHED'""");
            pending = database.numbers("SELECT COUNT(*) FROM outbox_message").get(0);
            insertMessageThatShippingCannotRead(database);
        }
        assertThat(forced).isGreaterThan(ORDERS / 2);
        server.start();
        await().atMost(SOON).until(() -> sample.metric("outbox_published_total", "default") > pending);
        // A last order, whose message stands behind all others in the queue.
        String last = sample.placeOrder();
        await().atMost(SOON).until(() -> !sample.deliveries(last).isEmpty());

        assertThat(sample.metric("outbox_duplicates_skipped_total", "shipping")).isGreaterThanOrEqualTo(forced);
        assertThat(acknowledged)
                .allSatisfy(order -> assertThat(sample.deliveries(order)).hasSize(1));
        assertUnreadableIsPutAside();
        assertEachMessageTookEffectOnce();
    }

    private static void insertMessageThatShippingCannotRead(SampleDatabase database) throws SQLException {
        database.update("""
                INSERT INTO outbox_message (message_id, application, event_type, schema_version, message_key, partition_no,
                  destination, queue_id, content_type, payload, payload_bytes, occurred_at, status)
                SELECT 'ffffffff-0000-7000-8000-000000000000', application, 'OrderPlaced', 99, 'unreadable', partition_no,
                  destination, id, 'application/json', '{"orderId":"unreadable"}', 24, CURRENT_TIMESTAMP, 'PENDING'
                FROM outbox_partition WHERE destination = 'default' AND partition_no = 0""");
    }

    private void assertUnreadableIsPutAside() {
        await().atMost(SOON).until(() -> !sample.putAside().isEmpty());
        assertThat(sample.putAside()).singleElement().satisfies(aside -> {
            assertThat(aside.getString("orderId")).isEqualTo("unreadable");
            assertThat(aside.getString("schemaVersion")).isEqualTo("99");
        });
        assertThat(sample.putAside(1, 10)).isEmpty();
        assertThat(sample.get("/api/put-aside?limit=201").statusCode()).isEqualTo(400);
        assertThat(sample.deliveries("unreadable")).isEmpty();
        assertThat(server.log()).contains("OBX-0511", "version 99");
    }

    private void assertEachMessageTookEffectOnce() throws SQLException {
        server.stop();
        try (SampleDatabase database = server.database()) {
            List<String> sent = database.texts(
                    "SELECT message_id FROM outbox_message WHERE schema_version = 1 ORDER BY message_id");
            assertThat(sent).hasSizeGreaterThan(ORDERS);
            assertThat(database.texts("SELECT message_id FROM shipment ORDER BY message_id"))
                    .as("shipments, each with the message it is of")
                    .isEqualTo(sent);
            assertThat(database.texts("SELECT message_id FROM outbox_inbox ORDER BY message_id"))
                    .isEqualTo(sent);
        }
    }
}
