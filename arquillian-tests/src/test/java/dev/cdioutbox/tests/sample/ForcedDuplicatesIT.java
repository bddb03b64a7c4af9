package dev.cdioutbox.tests.sample;

import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import jakarta.json.JsonObject;

import dev.cdioutbox.tests.server.FirstColumn;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.QueuedMessages;
import dev.cdioutbox.tests.server.SampleClient;
import dev.cdioutbox.tests.server.SampleServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Each order takes effect once, though the dispatcher only promises at-least-once and the test kills the server.
 *
 * <p>A crash between the broker's commit and the settle leaves a few duplicates only. So the test sets all its
 * published messages back to pending. {@link dev.cdioutbox.tests.external.EachEffectOnceIT} does so with thousands of
 * messages, and with effects in another database.
 */
@Tag("full")
@ExtendWith(SampleServer.Shared.class)
class ForcedDuplicatesIT {
    private static final int ORDERS = 100;

    private final SampleServer shared;
    private final LibertyServer server;
    private final SampleClient sample;

    ForcedDuplicatesIT(SampleServer shared) {
        this.shared = shared;
        server = shared.server();
        sample = shared.sample();
    }

    @AfterEach
    void restore() {
        server.set("outbox.dispatcher.delivery", "exactly-once");
    }

    @Test
    void everyOrderTakesEffectOnceAndWhatCannotBeHandledEndsWhereItCanBeLookedAt() throws Exception {
        String ours = "seq > "
                + texts("SELECT COALESCE(MAX(seq), 0) FROM outbox_message").get(0);
        int before = server.log().length();
        server.set("outbox.dispatcher.delivery", "at-least-once");
        List<String> acknowledged;
        try (OrderStream orders = new OrderStream(sample)) {
            await().atMost(LONG)
                    .until(() -> server.log().indexOf("OBX-0420: destination 'default': at-least-once", before) > 0);
            int changed = orders.acknowledged().size();
            await().atMost(LONG).until(() -> orders.acknowledged().size() > changed + ORDERS);
            server.kill();
            orders.awaitEnd();
            acknowledged = orders.acknowledged();
        }
        // A message that shipping has not received yet is a duplicate too, of its copy in the queue.
        int forced = shared.update("""
                INSERT INTO outbox_queue (seq, queue_id, attempts)
                SELECT d.seq, (SELECT m.partition_id FROM outbox_message m WHERE m.seq = d.seq), d.attempts
                FROM OLD TABLE (DELETE FROM outbox_delivery WHERE status = 3 AND %s) d""".formatted(ours));
        insertMessageThatShippingCannotRead();
        assertThat(forced).isGreaterThan(ORDERS / 2);
        server.start();
        // The message of this order comes after all others in the queue.
        await().atMost(LONG).until(() -> texts(
                        "SELECT seq FROM outbox_message_view WHERE status IS DISTINCT FROM 'PUBLISHED' AND " + ours)
                .isEmpty());
        String last = sample.placeOrder();
        await().atMost(LONG).until(() -> !sample.deliveries(last).isEmpty());

        // A message that was in doubt at the kill may come after the last order's message.
        await().atMost(LONG).until(() -> sample.metric("outbox_duplicates_skipped_total", "shipping") >= forced);
        assertThat(acknowledged)
                .allSatisfy(order -> assertThat(sample.deliveries(order)).hasSize(1));
        assertEachMessageTookEffectOnce(ours);
        assertUnreadableIsPutAside();
    }

    private void insertMessageThatShippingCannotRead() {
        shared.update(QueuedMessages.onH2("""
                INSERT INTO outbox_message (message_id, application, event_type, schema_version, message_key, partition_id,
                  destination, content_type, payload, payload_bytes, occurred_at)
                SELECT 'ffffffff-0000-7000-8000-000000000000', application, 'OrderPlaced', 99, 'unreadable', id,
                  destination, 'application/json', '{"orderId":"unreadable"}', 24, CURRENT_TIMESTAMP
                FROM outbox_partition WHERE destination = 'default' AND partition_no = 2"""));
    }

    private void assertUnreadableIsPutAside() {
        await().atMost(LONG).until(() -> !sample.putAside().isEmpty());
        assertThat(sample.putAside())
                .singleElement()
                .extracting((JsonObject aside) -> aside.getString("orderId") + " " + aside.getString("schemaVersion"))
                .isEqualTo("unreadable 99");
        assertThat(sample.putAside(1, 10)).isEmpty();
        assertThat(sample.get("/api/put-aside?limit=201").statusCode()).isEqualTo(400);
        assertThat(sample.deliveries("unreadable")).isEmpty();
        assertThat(server.log()).contains("OBX-0511", "version 99");
    }

    private void assertEachMessageTookEffectOnce(String ours) {
        List<String> sent = texts(
                "SELECT message_id FROM outbox_message WHERE schema_version = 1 AND " + ours + " ORDER BY message_id");
        assertThat(sent).hasSizeGreaterThan(ORDERS);
        for (String table : List.of("shipment", "outbox_inbox")) {
            assertThat(texts("SELECT t.message_id FROM " + table + " t JOIN outbox_message m"
                            + " ON m.message_id = t.message_id AND m." + ours + " ORDER BY t.message_id"))
                    .as(table)
                    .isEqualTo(sent);
        }
    }

    private List<String> texts(String sql) {
        try (Connection connection = shared.connection()) {
            return FirstColumn.of(connection, sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }
}
