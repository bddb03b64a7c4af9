package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.external.Landscape.awaitLog;
import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;

import dev.cdioutbox.tests.server.H2Server;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.QueuedMessages;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The message store of Liberty's messaging is full: a commit fails, of which Liberty reports no reason. */
@Tag("full")
class FullStoreIT {
    private static final int MESSAGES = 1500;
    private static final int BYTES = 20_000;

    @AutoClose
    private H2Server database;

    @AutoClose
    private LibertyServer server;

    @BeforeEach
    void configure() {
        database = new H2Server("full-store-h2").start();
        server = LibertyServer.sample("full-store")
                .on(database)
                .withElement("<jmsActivationSpec id=\"sample/ShippingBean\" autoStart=\"${consumer.on}\" />")
                .set("consumer.on", "false")
                .set("cdioutbox.messaging.log.megabytes", "10")
                .set("cdioutbox.messaging.store.megabytes", "60")
                .set("outbox.dispatcher.interval", "PT1S");
    }

    @Test
    void fullStoreChargesNoMessageAndALargerOneTakesEachOnceWithExactlyOnce() {
        fillAndEnlarge("exactly-once");
    }

    @Test
    void fullStoreChargesNoMessageAndALargerOneTakesEachOnceWithAtLeastOnce() {
        fillAndEnlarge("at-least-once");
    }

    private void fillAndEnlarge(String delivery) {
        server.set("outbox.dispatcher.delivery", delivery).start();
        WorkerObserver worker = new WorkerObserver(server, "default");
        pile();
        worker.awaitFailedRuns(3);
        assertThat(worker.lines("OBX-0418: destination 'default'.*OBX-0541.*store\\.megabytes"))
                .isNotEmpty();
        assertThat(worker.lines("OBX-040[1356]: ")).isEmpty();
        assertThat(database.texts("SELECT DISTINCT status || attempts FROM outbox_message_view"))
                .containsExactlyInAnyOrder("PENDING0", "PUBLISHED1");

        server.stop();
        server.set("cdioutbox.messaging.store.megabytes", "400").set("consumer.on", "true");
        server.start();

        await("all arrive").atMost(LONG.multipliedBy(3)).until(() -> database.texts("SELECT COUNT(*) FROM shipment")
                .equals(List.of(String.valueOf(MESSAGES))));
        assertThat(database.texts("SELECT DISTINCT status || attempts FROM outbox_message_view"))
                .containsExactly("PUBLISHED1");
        assertThat(database.texts("SELECT message_id FROM shipment")).doesNotHaveDuplicates();
    }

    private void pile() {
        awaitLog(server, 0, "OBX-0420: destination 'default'");
        String payload = "{\"orderId\":\"piled\",\"rest\":\"%s\"}".formatted("0".repeat(BYTES));
        database.update(QueuedMessages.onH2("""
                        INSERT INTO outbox_message (message_id, application, event_type, schema_version, message_key, partition_id,
                          destination, content_type, payload, payload_bytes, occurred_at)
                        SELECT CAST(RANDOM_UUID() AS CHAR(36)), p.application, 'OrderCancelled', 1, 'key-' || MOD(x, 64),
                          p.id, p.destination, 'application/json', ?, %d, CURRENT_TIMESTAMP
                        FROM SYSTEM_RANGE(1, %d)
                        JOIN outbox_partition p ON p.destination = 'default' AND p.partition_no = 2 + MOD(x, 64)
                        ORDER BY x""".formatted(payload.length(), MESSAGES)), payload);
    }
}
