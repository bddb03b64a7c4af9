package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.crash.CrashRecovery;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guards that the single events of a short time share a batch, and that a backlog does not wait for that. */
@Tag("database")
class LingerTest {
    @AutoClose
    private final DispatchScene scene = new DispatchScene();

    private final AtomicLong nanos = new AtomicLong();
    private final List<Integer> batches = new CopyOnWriteArrayList<>();
    private final DestinationWorker worker = worker();
    private final Thread running = new Thread(worker::run, "worker");

    @AfterEach
    void end() throws InterruptedException {
        scene.stopWhen(() -> true);
        running.join();
    }

    @Test
    void eventsOfTheTimeAfterASingleEventShareABatch() {
        scene.write("a", "1");
        running.start();
        awaitLinger(1);

        scene.write(List.of(message("b", "2"), message("c", "3")));
        nanos.addAndGet(DestinationWorker.LINGER.toNanos());
        awaitLinger(2);

        assertThat(batches).containsExactly(1, 2);
    }

    @Test
    void backlogDoesNotWait() {
        scene.configure(() -> DispatchScene.config("outbox.dispatcher.batch-size", "10"));
        scene.write(numbered(0, 35, 35));
        running.start();
        awaitLinger(4);

        assertThat(batches.stream().mapToInt(Integer::intValue).sum()).isEqualTo(35);
    }

    /** The clock stands still, so the worker waits until the test moves it. */
    private void awaitLinger(int delivered) {
        await().until(() ->
                !running.isAlive() || batches.size() >= delivered && running.getState() == Thread.State.TIMED_WAITING);
        assertThat(running.isAlive())
                .as("the worker waits before its next claim")
                .isTrue();
    }

    private DestinationWorker worker() {
        DispatchListener listener = new DispatchListener() {
            @Override
            public void published(String destination, List<OutboxMessage> messages, Instant at, Duration took) {
                batches.add(messages.size());
            }
        };
        Environment environment = scene.environment(scene.broker, nanos::get, List.of(listener));
        return new DestinationWorker(
                DESTINATION, environment, new CrashRecovery(environment, () -> Duration.ofHours(1)));
    }
}
