package dev.cdioutbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.store.TestMessages;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guards that the purge removes each old message in the end, in bounded steps. */
@Tag("database")
class PurgeTaskTest {
    private static final Instant LONG_AGO = Instant.parse("2026-01-01T00:00:00Z");

    @AutoClose
    private final DispatchScene scene = new DispatchScene();

    private final List<String> logged = new ArrayList<>();
    private final Logger log = Logger.getLogger(PurgeTask.class.getName());
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            logged.add(line.getMessage().substring(0, 8));
        }

        @Override
        public void flush() {
            // The handler buffers nothing.
        }

        @Override
        public void close() {
            // The handler holds no resource.
        }
    };

    private OutboxConfig config = scene.config;

    @BeforeEach
    void listen() {
        log.setLevel(Level.ALL);
        log.setUseParentHandlers(false);
        log.addHandler(handler);
    }

    @AfterEach
    void silence() {
        log.removeHandler(handler);
        log.setLevel(null);
    }

    @Test
    void aPurgeIsBoundedAndReportsThatThereIsMore() {
        publish(PurgeTask.BATCHES * 500 + 1);

        assertThat(purge()).isTrue();
        assertThat(count()).isEqualTo(1);
        assertThat(purge()).isFalse();
        assertThat(count()).isZero();
    }

    @Test
    void changedRetentionTakesEffectAtOnce() {
        publish(3);
        config = DispatchScene.config("outbox.retention.published", "P3650D");
        assertThat(purge()).isFalse();
        assertThat(count()).isEqualTo(3);

        config = DispatchScene.config("outbox.retention.published", "PT1H", "outbox.retention.mode", "archive");
        purge();
        assertThat(count()).isZero();
        assertThat(scene.database.query("SELECT seq FROM shop_archive")).hasSize(3);
    }

    @Test
    void whatIsKeptIsNotReadAgainByTheNextScan() {
        publish(2000);
        scene.database.update("UPDATE shop_message SET application = 'other'");
        int batches = scene.transactions.outsideCalls();

        purge();
        int first = scene.transactions.outsideCalls() - batches;
        purge();
        int second = scene.transactions.outsideCalls() - batches - first;

        assertThat(first).as("four full ones, the end, and the inbox").isEqualTo(6);
        assertThat(second).as("the end, and the inbox").isEqualTo(2);
    }

    @Test
    void oldIdsOfTheInboxAreRemovedInBatches() {
        scene.database.update("""
                INSERT INTO shop_inbox (application, consumer, message_id, received_at)
                SELECT '%s', 'consumer', CAST(X AS VARCHAR), DATEADD(DAY, -X, CURRENT_TIMESTAMP) FROM SYSTEM_RANGE(1, 2500)""".formatted(config.store().application()));
        config = DispatchScene.config("outbox.retention.inbox", "PT36H");

        assertThat(purge()).isFalse();

        assertThat(scene.database.query("SELECT message_id FROM shop_inbox")).containsExactly("1");
    }

    /** As after an outage, a message was published long after it was written. */
    @Test
    void whatWasLeftBehindIsRemovedByTheScanThatRestarts() {
        publish(3);
        scene.database.update("UPDATE shop_delivery SET settled_at = CURRENT_TIMESTAMP WHERE seq = 1");
        purge();
        assertThat(count()).isEqualTo(1);
        scene.database.setTime("delivery", "settled_at", LONG_AGO, "seq = 1");

        for (int scan = 1; scan < PurgeTask.RESTART_EVERY; scan++) {
            purge();
            assertThat(count()).isEqualTo(1);
        }
        purge();

        assertThat(count()).isZero();
    }

    @Test
    void failureIsReportedOnceAnHourAndSoIsItsEnd() {
        publish(3);
        scene.database.update("ALTER TABLE shop_message RENAME TO away");
        AtomicLong nanos = new AtomicLong();
        Dispatcher dispatcher = scene.dispatcher(scene.broker, nanos::get, List.of());
        for (int minute = 0; minute < 60; minute++) {
            assertThat(dispatcher.purge()).isFalse();
            nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        }
        assertThat(logged).containsExactly("OBX-0413");
        dispatcher.purge();
        assertThat(logged).containsExactly("OBX-0413", "OBX-0413");

        scene.database.update("ALTER TABLE away RENAME TO shop_message");
        dispatcher.purge();
        dispatcher.purge();

        assertThat(logged).containsExactly("OBX-0413", "OBX-0413", "OBX-0414");
        assertThat(count()).isZero();
    }

    /** For example a consumer whose transaction is in doubt holds a row of the inbox. */
    @Test
    void messagesAreRemovedAlthoughTheInboxFails() {
        publish(PurgeTask.BATCHES * 500 + 1);
        scene.database.update("ALTER TABLE shop_inbox RENAME TO away");

        assertThat(purge()).as("more at once").isTrue();
        assertThat(purge()).isFalse();

        assertThat(count()).isZero();
        assertThat(logged).containsExactly("OBX-0413");
    }

    @Test
    void purgeEndsWithTheApplication() {
        publish(3);

        assertThat(scene.dispatcher("node-2", () -> config, () -> true).purge()).isFalse();

        assertThat(count()).isEqualTo(3);
    }

    @Test
    void payloadIsErasedAsItIsPublished() {
        try (DispatchScene erasing = new DispatchScene("outbox.retention.payload", "erase")) {
            erasing.write("a", "1");
            erasing.run();

            assertThat(erasing.broker.texts()).containsExactly("1");
            assertThat(erasing.database.query("SELECT payload FROM shop_message"))
                    .containsExactly((String) null);
        }
    }

    private boolean purge() {
        scene.configure(() -> config);
        return scene.dispatcher.purge();
    }

    private int count() {
        assertThat(scene.database.misplaced()).isEmpty();
        return scene.database.statuses().size();
    }

    private void publish(int messages) {
        scene.write(List.of(TestMessages.message("a", "0")));
        scene.database.update("""
                INSERT INTO shop_message (message_id, application, event_type, schema_version, partition_id, destination,
                  content_type, payload, payload_bytes, occurred_at)
                SELECT RANDOM_UUID(), application, event_type, schema_version, partition_id, destination, content_type,
                  payload, payload_bytes, occurred_at FROM shop_message CROSS JOIN SYSTEM_RANGE(2, ?)""", messages);
        scene.database.setTime("message", "created_at", LONG_AGO, "1 = 1");
        scene.database.update("DELETE FROM shop_queue");
        scene.database.update("INSERT INTO shop_delivery (seq, status, settled_at, attempts)"
                + " SELECT seq, 3, created_at, 1 FROM shop_message");
    }
}
