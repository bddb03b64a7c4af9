package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;

import dev.cdioutbox.internal.store.sql.QueueId;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Guards that a thread works for a time slice, however large the backlog is: a stopping server waits for its working
 * threads.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class TimeSliceTest {
    @AutoClose
    private final DispatchScene scene = new DispatchScene("outbox.dispatcher.batch-size", "10");

    private final Deque<Runnable> called = new ArrayDeque<>();

    @Test
    void threadThatHasWorkedForLongEnoughLeavesTheRestToAnother() {
        scene.dispatcher.useThreads(called::add, Duration.ZERO);
        scene.write(numbered(0, 100, 40));

        assertThat(scene.run()).isNull();
        assertThat(scene.broker.delivered).hasSizeBetween(1, 10);
        assertThat(called).hasSize(1);

        int threads = 1;
        while (!called.isEmpty()) {
            called.poll().run();
            threads++;
        }
        assertThat(threads).isGreaterThanOrEqualTo(10);
        assertThat(scene.broker.texts())
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 100).mapToObj(String::valueOf).toList());
    }

    @Test
    void threadThatHelpsLeavesTheRestToAnotherToo() {
        scene.dispatcher.useThreads(called::add, Duration.ZERO);
        scene.write(numbered(0, 100, 40));
        scene.configure(() -> DispatchScene.config("outbox.dispatcher.concurrency", "2"));
        List<Runnable> calledByTheOneThatJoined = new ArrayList<>();
        scene.broker.onSend = message -> {
            if (scene.broker.opened.get() == 1) {
                CompletableFuture.runAsync(scene.worker::poll).join();
                calledByTheOneThatJoined.addAll(called);
            }
        };
        scene.run();

        assertThat(scene.broker.opened).hasValue(2);
        assertThat(scene.database.statuses()).contains("PENDING");
        assertThat(calledByTheOneThatJoined).hasSize(1);
    }

    @Test
    void timerContinuesWhereNoThreadIsAvailableThoughARunHasJustEnded() {
        scene.dispatcher.useThreads(
                work -> {
                    throw new RejectedExecutionException("the server is stopping");
                },
                Duration.ZERO);
        scene.write(numbered(0, 100, 40));
        assertThat(scene.run()).isNull();
        int before = scene.broker.delivered.size();

        assertThat(scene.worker.poll()).isNull();

        assertThat(scene.broker.delivered).hasSizeGreaterThan(before);
    }

    /** Each claim moves some of the followers, and there may be a million. */
    @Test
    void threadThatMovesFollowersOfAMessageThatFailedLeavesTheRestToAnotherToo() {
        try (DispatchScene blocked = new DispatchScene("outbox.retry.on-abandon", "block")) {
            blocked.broker.onSend = message -> {
                throw FakeBroker.failure(Blame.MESSAGE);
            };
            blocked.write("key-0", "poison");
            blocked.run();
            assertThat(blocked.column("status", "poison")).isEqualTo("ABANDONED");
            blocked.write(numbered(0, 3500, 1));
            blocked.dispatcher.useThreads(called::add, Duration.ZERO);

            assertThat(blocked.run()).isNull();
            assertThat(called).hasSize(1);

            int threads = 1;
            while (called.poll() != null) {
                assertThat(blocked.run()).isNull();
                threads++;
            }
            assertThat(threads).isGreaterThanOrEqualTo(3);
            assertThat(blocked.database.query(
                            "SELECT seq FROM shop_queue WHERE queue_id < ? AND status = 0", QueueId.BLOCKED_KEYS))
                    .as("not in the queue of its blocked key")
                    .isEmpty();
        }
    }

    /** Otherwise the next thread would begin where this one did, and so on for ever. */
    @Test
    void threadThatHasDeliveredNothingIsNotReplaced() throws SQLException {
        scene.dispatcher.useThreads(called::add, Duration.ZERO);
        scene.write("a", "1");
        try (Connection doubt = scene.database.dataSource().getConnection();
                Statement statement = doubt.createStatement()) {
            doubt.setAutoCommit(false);
            statement.executeQuery("SELECT seq FROM shop_queue FOR UPDATE").close();

            assertThat(scene.run()).isNull();

            doubt.rollback();
        }
        assertThat(scene.broker.delivered).isEmpty();
        assertThat(called).isEmpty();
    }

    /** A stopping application requests no further thread. */
    @Test
    void noThreadIsReplacedAtTheEndOfTheApplication() {
        scene.dispatcher.useThreads(called::add, Duration.ZERO);
        scene.write(numbered(0, 100, 40));

        scene.run(() -> scene.config, () -> !scene.broker.delivered.isEmpty());

        assertThat(scene.broker.delivered).isNotEmpty();
        assertThat(called).isEmpty();
    }
}
