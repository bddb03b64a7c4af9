package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.terms;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.EachDatabase;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Guards the partitions that a run looks at: at a poll all, after a wake-up those of its messages, and after a batch those
 * where messages may have come or become sendable.
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
        // On a slow machine, a run must not hand its work over to a thread that never comes.
        Duration timeSlice = Duration.ofHours(1);
        scene.dispatcher.useThreads(
                work -> {
                    if (isWakeUp) {
                        work.run();
                    }
                },
                timeSlice);
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

    /** Its messages are not lost: the thread of the next commit sends them as well. */
    @Test
    void commitAfterARefusedThreadStartsOne() {
        scene.dispatcher.useThreads(work -> {
            throw new RejectedExecutionException("no thread is free");
        });
        wake(commit("a", "1"));

        runWakeUpsAtOnce();
        wake(commit("b", "2"));

        assertThat(scene.broker.texts()).containsExactlyInAnyOrder("1", "2");
    }

    /** The poll is not early, though a wake-up ran a moment ago. */
    @Test
    void pollAfterAWakeUpLooksAtAllPartitions() {
        commit("b", "left by another node");
        wake(commit("a", "1"));

        scene.worker.poll();

        assertThat(scene.broker.texts()).containsExactly("1", "left by another node");
    }

    /** The node cannot know that another node was refused. */
    @Test
    void partitionThatAnotherNodeFindsLockedIsClaimedAgainAfterItsBatch() {
        Dispatcher second = scene.dispatcher("node-2");
        second.writeHeartbeat();
        second.useThreads(Runnable::run);
        scene.dispatcher.checkNodes();
        onFirstSend(() -> second.wake(List.of(commit("a", "2"))));

        wake(commit("a", "1"));

        assertThat(scene.broker.texts()).containsExactly("1", "2");
    }

    /** The thread that is refused leaves its range to the thread that holds the partition. */
    @Test
    void partitionThatAnotherThreadFindsLockedIsClaimedAgainAfterItsBatch() {
        beAlone();
        onFirstSend(() -> {
            wake(commit("a", "2"), commit("b", "free"));
            assertThat(scene.broker.texts()).containsExactly("free");
        });

        wake(commit("a", "1"));

        assertThat(scene.broker.texts()).containsExactly("free", "1", "2");
    }

    @Test
    void nodeThatIsAloneClaimsOnceForASingleMessage() {
        beAlone();
        AtomicInteger claims = new AtomicInteger();
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void claimed(DestinationId destination, int partitions, Duration took) {
                claims.incrementAndGet();
            }
        });

        wake(commit("a", "1"));

        assertThat(scene.broker.texts()).containsExactly("1");
        assertThat(claims).hasValue(1);
    }

    /** A wake-up does not see that messages wait in a leased partition. */
    @Test
    void leasedPartitionIsClaimedAgainAfterItsBatch() {
        scene.configure(() -> DispatchScene.config(
                "outbox.dispatcher.lease",
                "PT1M",
                "outbox.dispatcher.delivery",
                "at-least-once",
                "outbox.dispatcher.concurrency",
                "2"));
        beAlone();
        onFirstSend(() -> wake(commit("a", "2")));

        wake(commit("a", "1"));

        assertThat(scene.broker.texts()).containsExactly("1", "2");
    }

    @Test
    void followersOfAnAbandonedMessageAreSentInTheSameRun() {
        beAlone();
        scene.broker.onSend = message -> {
            if (message.body().text().equals("refused")) {
                throw new PublishException(Blame.MESSAGE, "too large", null);
            }
        };

        wake(commit("a", "refused"), commit("a", "2"));

        assertThat(scene.broker.texts()).containsExactly("2");
    }

    @Test
    void followersOfAnUnreadableMessageAreSentInTheSameRun() {
        beAlone();
        NewMessage[] behindAnother = {commit("a", "1"), commit("a", "garbage"), commit("a", "3")};
        makeUnreadable("garbage");
        wake(behindAnother);
        assertThat(scene.broker.texts()).containsExactly("1", "3");

        NewMessage[] first = {commit("b", "more garbage"), commit("b", "4")};
        makeUnreadable("more garbage");
        wake(first);
        assertThat(scene.broker.texts()).containsExactly("1", "3", "4");
    }

    private void makeUnreadable(String text) {
        scene.database.update("UPDATE shop_message SET message_id = ? WHERE payload = ?", "no uuid, " + text, text);
    }

    /** For example by an operator. */
    @Test
    void messageThatWasLockedForAMomentIsReadAgain() throws SQLException {
        beAlone();
        NewMessage[] messages = {commit("a", "locked"), commit("b", "free")};
        try (Connection other = scene.database.dataSource().getConnection();
                Statement lock = other.createStatement()) {
            other.setAutoCommit(false);
            lock.executeQuery(
                    "SELECT seq FROM shop_queue WHERE seq = " + scene.column("seq", "locked") + " FOR UPDATE");
            onFirstSend(other::rollback);

            wake(messages);
        }

        assertThat(scene.broker.texts()).containsExactly("free", "locked");
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

    /** The backlog's cycle does not begin anew behind the partition of the wake-up. */
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

        scene.worker.poll();

        assertThat(scene.broker.texts()).startsWith("a").hasSize(9);
        assertThat(scene.broker.texts().subList(0, 5)).doesNotHaveDuplicates();
    }

    @Test
    void partitionsTakeTurnsThoughNoClaimTakesAsManyAsItMay() {
        scene.configure(() -> DispatchScene.config("outbox.dispatcher.batch-size", "1"));
        for (String key : List.of("b", "c", "d", "e", "b", "c", "d", "e")) {
            commit(key, key);
        }

        scene.worker.poll();

        assertThat(scene.broker.texts()).hasSize(8);
        assertThat(scene.broker.texts().subList(0, 4)).doesNotHaveDuplicates();
    }

    @Test
    void delayedMessageIsSentWhenItIsDueWithoutAPoll() {
        List<Duration> delays = useTimer();
        Terms later = new Terms(Instant.now().plusSeconds(3600), null, null);
        NewMessage delayed = terms(message("a", "delayed"), later);
        scene.write(List.of(delayed));

        wake(delayed);
        assertThat(delays).singleElement().matches(delay -> delay.toMinutes() > 50 && delay.toMinutes() <= 60);

        makeDue();
        delayed(Instant.now().plusSeconds(7200));
        becomeDue();
        assertThat(scene.broker.texts()).containsExactly("delayed");
        assertThat(delays).as("the other one has a timer").hasSize(2);
    }

    @Test
    void retryIsSentWhenItIsDueWithoutAPoll() {
        List<Duration> delays = useTimer();
        AtomicBoolean refuses = new AtomicBoolean(true);
        scene.broker.onSend = message -> {
            if (refuses.get()) {
                throw FakeBroker.failure(Blame.UNKNOWN);
            }
        };
        wake(commit("a", "with a key"), commit(null, "without"));
        assertThat(delays).isNotEmpty().allMatch(delay -> delay.toMinutes() > 4 && delay.toMinutes() < 20);

        refuses.set(false);
        makeDue();
        becomeDue();
        assertThat(scene.broker.texts()).containsExactlyInAnyOrder("with a key", "without");
    }

    @Test
    void messageThatWasChargedByAFailedRunHasATimerAfterTheNext() {
        List<Duration> delays = useTimer();
        AtomicBoolean fails = new AtomicBoolean();
        scene.broker.onSend = message -> {
            boolean isCharged = message.body().text().equals("charged");
            if (isCharged || fails.get()) {
                fails.set(true);
                throw FakeBroker.failure(isCharged ? Blame.UNKNOWN : Blame.DESTINATION);
            }
        };
        wake(commit("a", "charged"), commit("b", "later"));
        assertThat(scene.worker.failures()).isEqualTo(1);

        scene.broker.onSend = message -> {};
        scene.worker.poll();

        assertThat(scene.broker.texts()).containsExactly("later");
        assertThat(delays).hasSize(1);
    }

    /** What becomes due after the last claim has read, and before the run ends. */
    @Test
    void messageThatBecomesDueDuringTheLastBatchWaitsForNoPoll() {
        beAlone();
        List<Duration> delays = useTimer();
        onFirstSend(() -> await().atMost(Duration.ofMinutes(1))
                .until(() -> scene.store.delayed().untilNextDue(TestMessages.DESTINATION) == null));

        wake(delayed(Instant.now().plusMillis(500)), commit("b", "long"));

        assertThat(scene.broker.texts().contains("delayed") || !delays.isEmpty())
                .as("sent, or has a timer")
                .isTrue();
    }

    /** The timer of a message far in the future fires earlier and asks again. Other runs do not ask. */
    @Test
    void messageThatIsDueInSevenThousandYearsCostsAnHourlyTimerAndFailsNoRun() {
        List<Duration> delays = useTimer();
        wake(delayed(Instant.parse("9000-01-01T00:00:00Z")));
        assertThat(scene.worker.failures()).isZero();
        int before = scene.transactions.outsideCalls();

        assertThat(scene.worker.poll()).isNull();

        assertThat(scene.transactions.outsideCalls())
                .as("the look of an idle worker, and no question for the next time")
                .isEqualTo(before + 1);
        assertThat(delays).containsExactly(Duration.ofHours(1));
    }

    @Test
    void keyThatWaitsForAnOperatorIsNeverDueAndFailsNoRun() {
        scene.configure(
                () -> DispatchScene.config("outbox.retry.max-attempts", "1", "outbox.retry.on-abandon", "block"));
        List<Duration> delays = useTimer();
        scene.broker.onSend = message -> {
            throw FakeBroker.failure(Blame.MESSAGE);
        };
        wake(commit("a", "abandoned"), commit("a", "waits for it"));

        assertThat(scene.worker.failures()).isZero();
        assertThat(scene.database.query("SELECT id FROM shop_blocked_key")).hasSize(1);
        assertThat(delays).isEmpty();
        assertThat(scene.store.delayed().untilNextDue(TestMessages.DESTINATION)).isNull();
    }

    @Test
    void runThatHasDeliveredDoesNotFailIfItsTimerCannotBeStarted() {
        useTimer();
        scene.dispatcher.useTimer((worker, delay) -> {
            throw new IllegalStateException("the timer service is not available");
        });
        wake(delayed(Instant.now().plusSeconds(600)));
        assertThat(scene.worker.failures()).isZero();

        List<Duration> delays = new ArrayList<>();
        scene.dispatcher.useTimer((worker, delay) -> delays.add(delay));
        scene.worker.poll();
        assertThat(delays).as("the next run asks again").hasSize(1);
    }

    private NewMessage delayed(Instant notBefore) {
        NewMessage delayed = terms(message("a", "delayed"), new Terms(notBefore, null, null));
        scene.write(List.of(delayed));
        return delayed;
    }

    /** @return the delays of the timers that the worker has started */
    private List<Duration> useTimer() {
        scene.worker.poll();
        List<Duration> delays = new ArrayList<>();
        scene.dispatcher.useTimer((worker, delay) -> delays.add(delay));
        return delays;
    }

    private void makeDue() {
        String past = scene.database.kind().dialect().nowPlusMillis("?");
        scene.database.update(
                "UPDATE shop_queue SET available_at = " + past + " WHERE available_at IS NOT NULL", -1000);
        scene.database.update("UPDATE shop_blocked_key SET due_at = " + past, -1000);
    }

    private void becomeDue() {
        isWakeUp = true;
        scene.worker.wakeForDue();
        isWakeUp = false;
    }

    private void beAlone() {
        scene.dispatcher.checkNodes();
    }

    /** On another thread, since the one that sends has a transaction. */
    private void onFirstSend(Environment.Work work) {
        AtomicBoolean isFirst = new AtomicBoolean(true);
        scene.broker.onSend = message -> {
            if (isFirst.getAndSet(false)) {
                CompletableFuture.runAsync(() -> {
                            try {
                                work.run();
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        })
                        .join();
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
