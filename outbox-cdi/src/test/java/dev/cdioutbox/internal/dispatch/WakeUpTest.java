package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.EachDatabase;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Guards the partitions that a run looks at: after a wake-up those of its messages and those that a batch has just
 * released, at a poll all.
 */
@ParameterizedClass(name = "{0}", allowZeroInvocations = true)
@EachDatabase({Database.H2, Database.POSTGRESQL, Database.MARIADB})
class WakeUpTest {
    private final DispatchScene scene;
    private boolean isWakeUp;

    WakeUpTest(Database kind) {
        scene = new DispatchScene(new TestDatabase(kind), "outbox.dispatcher.concurrency", "2");
    }

    /** Without further threads for a run. */
    @BeforeEach
    void runWakeUpsAtOnce() {
        scene.dispatcher.useThreads(work -> {
            if (isWakeUp) {
                work.run();
            }
        });
    }

    @AfterEach
    void close() {
        scene.close();
    }

    @Test
    void wakeUpLooksOnlyAtThePartitionsOfItsMessages() {
        wake(commit("b", "1"), commit("a", "2"));
        assertThat(scene.broker.texts()).as("one wake-up for both").hasSize(2);

        commit("b", "left by another node");
        wake(commit("a", "3"));

        assertThat(scene.broker.texts()).hasSize(3).last().isEqualTo("3");
    }

    /** The poll is not early, though a wake-up ran a moment ago. */
    @Test
    void pollAfterAWakeUpLooksAtAllPartitions() {
        commit("b", "left by another node");
        wake(commit("a", "1"));

        scene.worker.poll();

        assertThat(scene.broker.texts()).containsExactly("1", "left by another node");
    }

    /** The second wake-up finds the partition locked, and nothing repeats it. */
    @Test
    void partitionIsClaimedAgainAfterItsBatch() {
        onFirstSend(() -> {
            wake(commit("a", "2"));
            assertThat(scene.broker.opened).as("batches").hasValue(1);
        });

        wake(commit("a", "1"));

        assertThat(scene.broker.texts()).containsExactly("1", "2");
    }

    /** A claim takes at most 16 partitions by default. */
    @Test
    void messagesOfMorePartitionsThanAClaimTakesAreAllSent() {
        List<NewMessage> messages = new ArrayList<>();
        for (int key = 0; key < 100; key++) {
            messages.add(message("key-" + key, String.valueOf(key)));
        }
        scene.write(messages);

        wake(messages.toArray(NewMessage[]::new));

        assertThat(scene.broker.delivered).hasSize(100);
    }

    /** The backlog's turn does not begin anew behind the partition of the wake-up. */
    @Test
    void wakeUpDoesNotChangeTheTurnOfTheOtherPartitions() {
        scene.configure(() -> DispatchScene.config(
                "outbox.dispatcher.max-partitions",
                "2",
                "outbox.dispatcher.batch-size",
                "2",
                "outbox.dispatcher.concurrency",
                "2"));
        for (String key : List.of("b", "c", "d", "e", "b", "c", "d", "e")) {
            commit(key, key);
        }
        onFirstSend(() -> wake(commit("a", "a")));

        scene.worker.run();

        assertThat(scene.broker.texts()).startsWith("a").hasSize(9);
        assertThat(scene.broker.texts().subList(0, 5)).doesNotHaveDuplicates();
    }

    @Test
    void partitionsTakeTurnsThoughNoClaimTakesAsManyAsItMay() {
        scene.configure(() -> DispatchScene.config("outbox.dispatcher.batch-size", "1"));
        for (String key : List.of("b", "c", "d", "e", "b", "c", "d", "e")) {
            commit(key, key);
        }

        scene.worker.run();

        assertThat(scene.broker.texts()).hasSize(8);
        assertThat(scene.broker.texts().subList(0, 4)).doesNotHaveDuplicates();
    }

    /** On another thread, since the one that sends has a transaction. */
    private void onFirstSend(Runnable work) {
        AtomicBoolean isFirst = new AtomicBoolean(true);
        scene.broker.onSend = message -> {
            if (isFirst.getAndSet(false)) {
                CompletableFuture.runAsync(work).join();
            }
        };
    }

    private NewMessage commit(String key, String text) {
        NewMessage message = message(key, text);
        scene.write(List.of(message));
        return message;
    }

    private void wake(NewMessage... messages) {
        isWakeUp = true;
        scene.dispatcher.wake(List.of(messages));
        isWakeUp = false;
    }
}
