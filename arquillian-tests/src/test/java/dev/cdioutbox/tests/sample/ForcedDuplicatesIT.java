package dev.cdioutbox.tests.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;

import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleClient;
import dev.cdioutbox.tests.server.SampleDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A dispatcher that only promises at-least-once, on a server that is killed, and a consumer that is idempotent: each order
 * takes effect once. What a crash between the broker's commit and the settling leaves behind is made by hand, for every
 * message there is and not just those in flight.
 */
class ForcedDuplicatesIT {
    private static final Duration SOON = Duration.ofMinutes(3);
    private static final int ORDERS = 300;
    private static final int ROUNDS = 2;

    private final LibertyServer server = LibertyServer.sample("duplicates");
    private final SampleClient sample = new SampleClient(server::url);

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void everyOrderTakesEffectOnceThoughItsMessageIsSentAgainAndAgain() throws Exception {
        server.set("outbox.dispatcher.delivery", "at-least-once").start();
        int sentAgain = 0;
        for (int round = 1; round <= ROUNDS; round++) {
            int acknowledged;
            int pending;
            try (OrderStream orders = new OrderStream(sample)) {
                await().atMost(SOON).until(() -> orders.acknowledged().size() > ORDERS);
                server.kill();
                orders.awaitEnd();
                acknowledged = orders.acknowledged().size();
            }
            try (SampleDatabase database = server.database()) {
                // Those that shipping has not seen are duplicates too, of what waits in the queue.
                sentAgain += database.update("""
                        UPDATE outbox_message m SET status = 'PENDING', available_at = NULL, published_at = NULL,
                          queue_id = (SELECT p.id FROM outbox_partition p WHERE p.application = m.application
                            AND p.destination = m.destination AND p.partition_no = m.partition_no)
                        WHERE status = 'PUBLISHED'""");
                pending = database.numbers("SELECT COUNT(*) FROM outbox_message WHERE status <> 'PUBLISHED'")
                        .get(0);
                assertThat(database.numbers("SELECT COUNT(*) FROM orders").get(0))
                        .isGreaterThanOrEqualTo(acknowledged);
            }
            server.start();
            await().atMost(SOON).until(() -> sample.metric("outbox_published_total", "default") >= pending);
            // A last order, whose message stands behind all others in the queue.
            String last = sample.placeOrder();
            await().atMost(SOON).until(() -> !sample.deliveries(last).isEmpty());
        }
        Double skipped = sample.metric("outbox_duplicates_skipped_total", "shipping");
        server.stop();

        assertThat(sentAgain).isGreaterThan(2 * ORDERS);
        assertThat(skipped).isGreaterThan(ORDERS);
        try (SampleDatabase database = server.database()) {
            List<String> sent = database.texts("SELECT message_id FROM outbox_message ORDER BY message_id");
            assertThat(sent).hasSizeGreaterThan(ORDERS);
            assertThat(database.texts("SELECT message_id FROM shipment ORDER BY message_id"))
                    .as("shipments, each with the message it is of")
                    .isEqualTo(sent);
            assertThat(database.texts("SELECT message_id FROM outbox_inbox ORDER BY message_id"))
                    .isEqualTo(sent);
            assertThat(database.texts("SELECT DISTINCT status FROM outbox_message"))
                    .containsExactly("PUBLISHED");
        }
    }

    @Test
    void messageThatTheConsumerCannotReadEndsWhereItCanBeLookedAt() throws Exception {
        server.set("outbox.dispatcher.enabled", "false").start();
        String order = sample.placeOrder();
        server.stop();
        try (SampleDatabase database = server.database()) {
            database.update("UPDATE outbox_message SET schema_version = 99");
        }
        server.set("outbox.dispatcher.enabled", "true").start();

        await().atMost(SOON).until(() -> sample.putAside().stream()
                .anyMatch(message ->
                        message.getString("orderId", "").equals(order) && message.getInt("schemaVersion") == 99));
        assertThat(sample.putAside()).hasSize(1);
        assertThat(sample.deliveries(order)).isEmpty();
        assertThat(server.log()).contains("OBX-0511", "version 99");
        String next = sample.placeOrder();
        await().atMost(SOON).until(() -> !sample.deliveries(next).isEmpty());
    }
}
