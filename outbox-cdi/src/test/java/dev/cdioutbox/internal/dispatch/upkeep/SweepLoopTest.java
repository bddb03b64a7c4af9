package dev.cdioutbox.internal.dispatch.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.DispatchScene;
import dev.cdioutbox.internal.dispatch.container.ApplicationState;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.internal.store.TestMessages;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guards that the sweep removes each old message in the end, in bounded steps. */
@Tag("database")
class SweepLoopTest {
    @AutoClose
    private final DispatchScene scene = new DispatchScene();

    private final List<String> logged = new ArrayList<>();
    private final Logger log = Logger.getLogger(SweepLoop.class.getName());
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
    void aSweepIsBoundedAndReportsThatThereIsMore() {
        publish(SweepLoop.BATCHES * 500 + 1);

        assertThat(sweep()).isTrue();
        assertThat(count()).isEqualTo(1);
        assertThat(sweep()).isFalse();
        assertThat(count()).isZero();
    }

    @Test
    void changedRetentionTakesEffectAtOnce() {
        publish(3);
        config = DispatchScene.config("outbox.retention.published", "P3650D");
        assertThat(sweep()).isFalse();
        assertThat(count()).isEqualTo(3);

        config = DispatchScene.config("outbox.retention.published", "PT1H", "outbox.retention.mode", "archive");
        sweep();
        assertThat(count()).isZero();
        assertThat(scene.database.query("SELECT seq FROM shop_archive")).hasSize(3);
    }

    @Test
    void whatWasLeftBehindIsLookedAtAgain() {
        publish(3);
        scene.database.update("UPDATE shop_message SET published_at = CURRENT_TIMESTAMP WHERE seq = 1");
        sweep();
        assertThat(count()).isEqualTo(1);
        scene.database.update("UPDATE shop_message SET published_at = created_at");

        sweep();

        assertThat(count()).isZero();
    }

    @Test
    void whatIsKeptIsNotReadAgainAndAgain() {
        publish(2000);
        scene.database.update("UPDATE shop_message SET application = 'other'");
        int batches = scene.transactions.outsideCalls();

        sweep();
        int first = scene.transactions.outsideCalls() - batches;
        sweep();
        int second = scene.transactions.outsideCalls() - batches - first;

        assertThat(first).as("five forward and five behind").isEqualTo(10);
        assertThat(second).as("one forward and five behind").isEqualTo(6);
    }

    /**
     * As after an outage, these messages were published long after they were written. With a pause after each step, the
     * table would grow for ever.
     */
    @Test
    void secondLooksGoOnAtOnceAsLongAsTheyRemoveSomething() {
        int atOnce = SweepLoop.BATCHES_BEHIND * 500;
        publish(2 * atOnce + 10);
        scene.database.update("UPDATE shop_message SET published_at = CURRENT_TIMESTAMP");
        assertThat(sweep()).as("nothing could be removed").isFalse();
        int kept = atOnce;
        scene.database.update("UPDATE shop_message SET published_at = created_at WHERE seq > ?", kept);

        assertThat(sweep()).isTrue();
        assertThat(count()).isEqualTo(2 * atOnce + 10 - atOnce);
        assertThat(sweep()).as("at the end").isFalse();
        assertThat(count()).isEqualTo(kept);
        assertThat(sweep()).as("from the beginning on all is kept").isFalse();
    }

    @Test
    void secondLookBeginsBehindWhatWasRemovedWhole() {
        publish(3);
        List<Object> from = new ArrayList<>();
        SweepLoop sweep =
                new SweepLoop(noting(from), scene.transactions, new ApplicationState(() -> config, () -> false));

        sweep.sweep();
        sweep.sweep();

        assertThat(from).as("forward and behind, twice").containsExactly(0L, 0L, 3L, 3L);
        assertThat(count()).isZero();
    }

    @Test
    void secondLookBeginsWithTheFirstThatStays() {
        publish(6);
        scene.database.update("UPDATE shop_message SET application = 'other' WHERE seq = 4");
        List<Object> from = new ArrayList<>();
        SweepLoop sweep =
                new SweepLoop(noting(from), scene.transactions, new ApplicationState(() -> config, () -> false));

        sweep.sweep();
        sweep.sweep();
        sweep.sweep();

        assertThat(from).as("forward and behind, three times").containsExactly(0L, 0L, 6L, 3L, 6L, 3L);
        assertThat(count()).isEqualTo(1);
    }

    private OutboxStore noting(List<Object> from) {
        return (OutboxStore) Proxy.newProxyInstance(
                SweepLoopTest.class.getClassLoader(),
                new Class<?>[] {OutboxStore.class},
                (proxy, method, arguments) -> {
                    from.add(arguments[1]);
                    return method.invoke(scene.store, arguments);
                });
    }

    @Test
    void failureIsReportedOnceAndSoIsItsEnd() {
        publish(3);
        scene.database.update("ALTER TABLE shop_message RENAME TO away");
        assertThat(sweep()).isFalse();
        assertThat(sweep()).isFalse();
        assertThat(logged).containsExactly("OBX-0413");

        scene.database.update("ALTER TABLE away RENAME TO shop_message");
        sweep();
        sweep();

        assertThat(logged).containsExactly("OBX-0413", "OBX-0414");
        assertThat(count()).isZero();
    }

    @Test
    void sweepEndsWithTheApplication() {
        publish(3);

        assertThat(scene.dispatcher("node-2", () -> config, () -> true).sweep()).isFalse();

        assertThat(count()).isEqualTo(3);
    }

    @Test
    void publishedMessageIsGoneAtOnceIfNothingIsKept() {
        try (DispatchScene none = new DispatchScene("outbox.retention.published", "PT0S")) {
            none.write("a", "1");
            none.run();

            assertThat(none.broker.texts()).containsExactly("1");
            assertThat(none.database.query("SELECT seq FROM shop_message")).isEmpty();
        }
    }

    @Test
    void payloadIsErasedAsItIsPublished() {
        try (DispatchScene erasing = new DispatchScene("outbox.retention.payload", "erase")) {
            erasing.write("a", "1");
            erasing.run();

            assertThat(erasing.broker.texts()).containsExactly("1");
            assertThat(erasing.database.query("SELECT payload FROM shop_message"))
                    .containsExactly("");
        }
    }

    private boolean sweep() {
        scene.configure(() -> config);
        return scene.dispatcher.sweep();
    }

    private int count() {
        return Integer.parseInt(
                scene.database.query("SELECT COUNT(*) FROM shop_message").get(0));
    }

    private void publish(int messages) {
        scene.write(List.of(TestMessages.message("a", "0")));
        scene.database.update("""
                INSERT INTO shop_message (message_id, application, event_type, schema_version, partition_no, destination,
                  content_type, payload, payload_bytes, occurred_at, status)
                SELECT RANDOM_UUID(), application, event_type, schema_version, partition_no, destination, content_type,
                  payload, payload_bytes, occurred_at, status FROM shop_message CROSS JOIN SYSTEM_RANGE(2, ?)""", messages);
        scene.database.update(
                "UPDATE shop_message SET status = 'PUBLISHED', queue_id = NULL, created_at = ?, published_at = ?",
                Instant.parse("2026-01-01T00:00:00Z"),
                Instant.parse("2026-01-01T00:00:00Z"));
    }
}
