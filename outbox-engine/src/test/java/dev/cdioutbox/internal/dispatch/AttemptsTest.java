package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.dispatch.FakeBroker.failure;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Guards the number of attempts and their schedule for a message that always fails, while others of its partition are
 * sent.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class AttemptsTest {
    static {
        // The server's start would exceed the timeout of the first test.
        Database.POSTGRESQL.start();
    }

    private static final String NOT_DUE =
            "SELECT available_at FROM shop_message_view WHERE payload = 'poison' AND available_at > CURRENT_TIMESTAMP";

    private final List<String> charges = new CopyOnWriteArrayList<>();

    @ParameterizedTest
    @CsvSource({"H2, 1, 1", "POSTGRESQL, 2, 1", "H2, 5, 3", "POSTGRESQL, 5, 3"})
    void maximumMeansExactlySoManyAndTheScheduleIsThatOfOneRowHoweverManyNodesLook(
            Database kind, int maximum, int nodes) throws Exception {
        try (DispatchScene scene = new DispatchScene(
                kind == Database.H2 ? new TestDatabase() : new TestDatabase(kind),
                config(maximum, "PT0.02S", "outbox.retry.max-delay", "PT1S"))) {
            List<String> early = new CopyOnWriteArrayList<>();
            scene.broker.onSend = message -> {
                if (message.body().text().equals("poison")) {
                    early.addAll(scene.database.query(NOT_DUE));
                }
                failPoison(message);
            };
            scene.write("p", "poison");
            AtomicBoolean over = new AtomicBoolean();
            ExecutorService threads = Executors.newCachedThreadPool();
            List<Future<?>> running = new ArrayList<>();
            try {
                for (int node = 0; node < nodes; node++) {
                    Dispatcher dispatcher = observed(scene.dispatcher("node-" + node));
                    running.add(threads.submit(() -> {
                        DestinationWorker worker = DispatchScene.workerOf(dispatcher);
                        while (!over.get()) {
                            worker.poll();
                        }
                    }));
                }
                int others = 0;
                do {
                    scene.write("key-" + others, "other-" + others++);
                } while (!scene.column("status", "poison").equals("ABANDONED"));
            } finally {
                over.set(true);
                threads.shutdown();
            }
            for (Future<?> node : running) {
                node.get();
            }

            assertThat(scene.column("attempts", "poison")).isEqualTo(String.valueOf(maximum));
            assertThat(charges).hasSize(maximum).containsOnly("poison");
            assertThat(early).as("sent before its time").isEmpty();
            scene.broker.onSend = message -> {};
            scene.run();
            assertThat(scene.database.query(
                            "SELECT DISTINCT status || attempts FROM shop_message_view WHERE payload <> 'poison'"))
                    .containsExactly("PUBLISHED1");
            assertThat(scene.broker.texts()).doesNotHaveDuplicates().doesNotContain("poison");
        }
    }

    @Test
    void changedMaximumStrandsNoRow() {
        try (DispatchScene scene = new DispatchScene(config(5, "PT1M"))) {
            observed(scene.dispatcher);
            scene.broker.onSend = AttemptsTest::failPoison;
            scene.write("p", "poison");
            fail(scene, config(5, "PT1M"));
            fail(scene, config(5, "PT1M"));
            assertThat(scene.column("status || attempts", "poison")).isEqualTo("FAILED2");

            fail(scene, config(10, "PT1M"));
            assertThat(scene.column("status || attempts", "poison")).isEqualTo("FAILED3");
            fail(scene, config(2, "PT1M"));
            assertThat(scene.column("status || attempts", "poison")).isEqualTo("ABANDONED4");
        }
    }

    @Test
    void messageThatSucceedsAfterTheMaximumWasLoweredIsPublished() {
        try (DispatchScene scene = new DispatchScene(config(5, "PT1M"))) {
            scene.broker.onSend = AttemptsTest::failPoison;
            scene.write("p", "poison");
            fail(scene, config(5, "PT1M"));
            fail(scene, config(5, "PT1M"));

            scene.broker.onSend = message -> {};
            fail(scene, config(1, "PT1M"));

            assertThat(scene.column("status", "poison")).isEqualTo("PUBLISHED");
        }
    }

    /** Makes the message due and runs the worker once, beside a message that gets through. */
    private static void fail(DispatchScene scene, String... keysAndValues) {
        OutboxConfig now = DispatchScene.config(keysAndValues);
        scene.database.makeDue();
        scene.write("other", "other");
        assertThat(scene.run(() -> now, () -> false)).isNull();
    }

    private static String[] config(int maximum, String baseDelay, String... more) {
        List<String> all = new ArrayList<>(List.of(
                "outbox.partitions",
                "1",
                "outbox.retry.max-attempts",
                String.valueOf(maximum),
                "outbox.retry.base-delay",
                baseDelay));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    private static void failPoison(OutboxMessage message) throws PublishException {
        if (message.body().text().equals("poison")) {
            throw failure(Blame.UNKNOWN);
        }
    }

    private Dispatcher observed(Dispatcher dispatcher) {
        dispatcher.addListener(new DispatchListener() {
            @Override
            public void charged(
                    DestinationId destination, OutboxMessage message, Retry retry, Instant at, Throwable cause) {
                // A node that has delivered nothing since the last failure holds the message: it may be the
                // destination's.
                if (!retry.isHeld()) {
                    charges.add(message.body().text());
                }
            }
        });
        return dispatcher;
    }
}
