package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.dispatch.FakeBroker.failure;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.crash.CrashRecovery;
import dev.cdioutbox.internal.dispatch.delivery.BatchRecovery;
import dev.cdioutbox.internal.dispatch.delivery.TestDelivery;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Guards that a message that crashes each process is abandoned, and that no other message is. The processes follow each
 * other on one machine.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class CrashingMessageTest {
    static {
        // The server's start would exceed the timeout of the first test.
        Database.POSTGRESQL.start();
    }

    private static final String CRASHING_MESSAGE = "7";

    /** One crash with a batch, and three in single-message delivery. */
    private static final int CRASHES = 4;

    private static final Logger QUIET = Logger.getLogger("dev.cdioutbox");

    private final List<String> delivered = new ArrayList<>();
    private TestDatabase database = new TestDatabase();
    private OutboxConfig config = config();

    @BeforeAll
    static void beQuiet() {
        QUIET.setLevel(Level.OFF);
    }

    @AfterEach
    void close() {
        database.close();
    }

    static Stream<Arguments> ways() {
        return Stream.of(
                Arguments.of(Database.H2, new String[] {}),
                Arguments.of(Database.POSTGRESQL, new String[] {"outbox.retry.on-abandon", "block"}),
                Arguments.of(Database.H2, new String[] {"outbox.dispatcher.concurrency", "4"}),
                Arguments.of(Database.POSTGRESQL, new String[] {"outbox.dispatcher.delivery", "at-least-once"}),
                Arguments.of(Database.H2, new String[] {
                    "outbox.dispatcher.delivery", "at-least-once", "outbox.dispatcher.lease", "PT1M"
                }));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void crashingMessageIsAbandonedAfterThreeCrashesAloneAndTheOthersAreSentOnceAndInOrder(
            Database kind, String[] keysAndValues) {
        begin(kind == Database.H2 ? new TestDatabase() : new TestDatabase(kind), config(keysAndValues));
        write(numbered(0, 30, 5));

        for (int crash = 0; crash < CRASHES; crash++) {
            CrashingProcess process = start().dyingOf(CrashingMessageTest::isCrashingMessage);
            if (crash > 0 && config.dispatcher().lease() != null) {
                assertThat(process.survives()).as("the messages are leased").isTrue();
                endLeases();
            }
            assertThat(process.survives()).isFalse();
            assertThat(database.statusesAndAttempts()).as("nothing is charged").contains("PENDING0");
            assertThat(counted())
                    .as("but for the first time, in a batch")
                    .isEqualTo(crash == 0 ? List.of() : List.of(CRASHING_MESSAGE + " " + crash));
            delivered.addAll(process.delivered());
        }
        CrashingProcess last = start().dyingOf(CrashingMessageTest::isCrashingMessage);
        endLeases();
        assertThat(last.survives()).isTrue();
        delivered.addAll(last.delivered());

        boolean blocks = config.retry().blockOnAbandon();
        assertThat(column("status", CRASHING_MESSAGE)).isEqualTo("ABANDONED");
        assertThat(column("last_error", CRASHING_MESSAGE)).startsWith("OBX-0416: ");
        assertThat(delivered)
                .containsExactlyInAnyOrderElementsOf(texts(i -> i != 7 && (!blocks || i % 5 != 2 || i < 7)));
        assertThatKeysAreInOrder(5);
    }

    /** Otherwise a codec that ends the process would abandon all messages, one after the other. */
    @Test
    void secondCrashingMessageStopsTheDestinationIfNothingWasDeliveredBetween() {
        begin(new TestDatabase(), config("outbox.partitions", "1"));
        write(numbered(0, 4, 4));
        for (int crash = 0; crash < CRASHES + 3; crash++) {
            assertThat(start().dyingOf(any -> true).survives()).isFalse();
        }
        assertThat(statuses()).containsExactly("ABANDONED", "PENDING", "PENDING", "PENDING");
        CrashingProcess next = start().dyingOf(any -> true);

        assertThat(next.run()).hasStackTraceContaining("OBX-0451");
        assertThat(statuses()).containsExactly("ABANDONED", "FAILED", "PENDING", "PENDING");
        assertThat(next.broker.sends).as("nothing is sent any more").isEmpty();

        assertThat(TestMessages.change(
                        store(), MessageOperation.RETRY, OutboxFilter.all().withStatus(OutboxStatus.FAILED)))
                .hasSize(1);
        next.dyingOf(any -> false);
        assertThat(next.survives()).isTrue();
        assertThat(next.delivered()).containsExactlyInAnyOrder("1", "2", "3");
    }

    /** Its count stays on its row, which each node reads: this one after it has nothing else to send, and one that never crashed. */
    @Test
    void secondCrashingMessageIsSentByNoNodeAlsoIfNothingElseWaits() {
        begin(new TestDatabase(), config("outbox.partitions", "1"));
        CrashingProcess peer = start();
        assertThat(peer.survives()).isTrue();
        write(numbered(0, 2, 2));
        for (int crash = 0; crash < CRASHES + 3; crash++) {
            start().dyingOf(any -> true).run();
        }
        CrashingProcess next = start().dyingOf(any -> true);
        next.run();
        assertThat(statuses()).containsExactly("ABANDONED", "FAILED");

        for (CrashingProcess node : List.of(next, peer, next)) {
            database.makeDue();
            assertThat(node.run()).hasStackTraceContaining("OBX-0451");
            assertThat(node.broker.sends).isEmpty();
        }
        assertThat(column("attempts", "1")).as("charged once").isEqualTo("1");
    }

    @Test
    void nodeThatHasStoppedTheDestinationSendsNothingNewThere() {
        begin(new TestDatabase(), config("outbox.partitions", "1"));
        write(numbered(0, 2, 2));
        for (int crash = 0; crash < CRASHES + 3; crash++) {
            start().dyingOf(any -> true).survives();
        }
        CrashingProcess next = start().dyingOf(any -> true);
        next.run();

        write(List.of(message("new", "new")));
        assertThat(next.run()).hasStackTraceContaining("OBX-0451");
        assertThat(next.broker.sends).isEmpty();
    }

    /** The answer may take long, where many deliveries are kept. */
    @Test
    void processThatFollowsACrashAsksOnceWhetherItsDestinationIsStopped() {
        write(numbered(0, 4, 4));
        start().dyingOf(any -> true).survives();
        List<String> asked = new CopyOnWriteArrayList<>();
        config = config("outbox.dispatcher.batch-size", "1");
        CrashingProcess next = start(asked::add);

        assertThat(next.survives()).isTrue();

        assertThat(next.delivered()).hasSize(4);
        assertThat(asked).filteredOn(sql -> sql.contains("OBX-0416")).hasSize(1);
    }

    @Test
    void secondCrashingMessageIsAbandonedAfterADelivery() {
        begin(new TestDatabase(), config("outbox.partitions", "1"));
        write(numbered(0, 4, 4));
        for (int crash = 0; crash < 2 * CRASHES - 1; crash++) {
            start().dyingOf(message -> !message.body().text().equals("1")).survives();
        }
        assertThat(start().dyingOf(any -> true).survives()).isFalse();

        assertThat(statuses()).containsExactly("ABANDONED", "PUBLISHED", "ABANDONED", "PENDING");
    }

    /** An operator has brought an earlier message of its key back, so it cannot be charged yet. */
    @Test
    void crashingMessageBehindAnotherOfItsKeyWaitsForThatOne() {
        begin(new TestDatabase(), config("outbox.partitions", "1"));
        write(List.of(message("k", "refused")));
        CrashingProcess first = start();
        first.broker.onSend = message -> {
            throw new PublishException(Blame.MESSAGE, "too large", null);
        };
        for (int attempt = 0; attempt < config.retry().maxAttempts(); attempt++) {
            database.makeDue();
            assertThat(first.survives()).isTrue();
        }
        write(List.of(message("a", "crashing"), message("k", "crashing, too")));
        // All of them alone: to the next process, the first one looks like one that crashed.
        for (int crash = 0; crash < 2 * (CRASHES - 1); crash++) {
            assertThat(start().dyingOf(any -> true).survives()).isFalse();
        }
        assertThat(statuses()).containsExactly("ABANDONED", "ABANDONED", "PENDING");
        TestMessages.change(store(), MessageOperation.RETRY, OutboxFilter.all().withKey("k"));

        CrashingProcess next = start().dyingOf(message -> !message.body().text().equals("refused"));

        assertThat(next.survives()).isTrue();
        assertThat(next.delivered()).containsExactly("refused");
        assertThat(statuses()).containsExactly("PUBLISHED", "ABANDONED", "ABANDONED");
    }

    private List<String> statuses() {
        return database.query("SELECT status FROM shop_message_view ORDER BY seq");
    }

    @Test
    void fewerAttemptsThanThreeMeanFewerCrashes() {
        begin(new TestDatabase(), config("outbox.retry.max-attempts", "1"));
        write(numbered(0, 10, 10));
        start().dyingOf(CrashingMessageTest::isCrashingMessage).survives();
        assertThat(start().dyingOf(CrashingMessageTest::isCrashingMessage).survives())
                .isFalse();

        assertThat(start().dyingOf(CrashingMessageTest::isCrashingMessage).survives())
                .isTrue();

        assertThat(column("status", CRASHING_MESSAGE)).isEqualTo("ABANDONED");
    }

    /** An operator pauses the destination because of the crashes, starts the process again, and resumes. */
    @Test
    void suspectsOfAPausedDestinationAreSentSinglyAfterThePause() {
        write(numbered(0, 10, 5));
        start().dyingOf(CrashingMessageTest::isCrashingMessage).survives();
        store().operations().pause(TestMessages.DESTINATION, true, "operator");
        CrashingProcess next = start().dyingOf(CrashingMessageTest::isCrashingMessage);
        assertThat(next.survives()).isTrue();

        store().operations().pause(TestMessages.DESTINATION, false, "operator");

        assertThat(next.survives()).isFalse();
        assertThat(counted()).containsExactly(CRASHING_MESSAGE + " 1");
    }

    /** Most likely the claim of a crashed process, whose connection the database has not found broken yet. */
    @Test
    void suspectsInLockedPartitionsAreSentSinglyWhenTheyAreFree() {
        write(numbered(0, 10, 5));
        start().dyingOf(CrashingMessageTest::isCrashingMessage).survives();
        CrashingProcess next = start().dyingOf(CrashingMessageTest::isCrashingMessage);
        JdbcOutboxStore other = store();
        try (Claim claim = TestMessages.claim(
                other,
                other.claims().rowLocks(TestMessages.DESTINATION),
                0,
                limits(64, 10, 1_000_000),
                other.pendingRows()::lockable)) {
            assertThat(claim.messages()).hasSize(10);
            assertThat(next.survives()).isTrue();
        }

        assertThat(next.survives()).isFalse();
        assertThat(counted()).containsExactly(CRASHING_MESSAGE + " 1");
    }

    /** Otherwise the process that sends them next would know of no crash. */
    @Test
    void stopInOrderForgetsNoCrashWhileADestinationWithSuspectsIsDisabled() {
        String[] two = {"outbox.destinations.audit.jndi", "jms/audit"};
        begin(new TestDatabase(), config(two));
        write(numbered(0, 10, 5));
        start().dyingOf(CrashingMessageTest::isCrashingMessage).survives();
        CrashingProcess other = start();
        assertThat(other.dispatcher.workers().get("audit").poll()).isNull();

        other.stopInOrder();

        assertThat(start().dyingOf(CrashingMessageTest::isCrashingMessage).survives())
                .isFalse();
        assertThat(counted()).containsExactly(CRASHING_MESSAGE + " 1");
    }

    /** Otherwise each later start would assume a crash. */
    @Test
    void recoveryIsCompleteIfNothingWaitsForADestinationThatIsNotServed() {
        begin(new TestDatabase(), config("outbox.destinations.audit.jndi", "jms/audit"));
        write(numbered(0, 10, 5));
        start().dyingOf(any -> true).survives();
        CrashingProcess next = start();
        assertThat(next.survives()).isTrue();

        next.stopInOrder();

        assertThat(nodes()).isEmpty();
    }

    @Test
    void nothingIsSentSinglyWithoutACrash() {
        write(numbered(0, 30, 5));
        CrashingProcess first = start();
        first.survives();
        first.stopInOrder();
        first.dispatcher.writeHeartbeat();
        write(numbered(30, 30, 5));
        CrashingProcess second = start();

        assertThat(second.survives()).isTrue();

        assertThat(second.broker.opened).as("all in one batch").hasValue(1);
        assertThat(nodes()).containsExactly(second.identity.id());
    }

    /** The stop has deleted the row while the heartbeat was written. A row that stays would show a crash. */
    @Test
    void heartbeatThatEndsAfterTheStopLeavesNoRow() {
        try (DispatchScene scene = new DispatchScene()) {
            AtomicInteger asked = new AtomicInteger();

            scene.dispatcher("node-9", () -> scene.config, () -> asked.getAndIncrement() > 0)
                    .writeHeartbeat();

            assertThat(scene.database.query("SELECT node_id FROM shop_node")).isEmpty();
        }
    }

    @Test
    void stopInOrderBeforeTheCrashSuspectsAreSentForgetsNoCrash() {
        write(numbered(0, 10, 5));
        start().dyingOf(CrashingMessageTest::isCrashingMessage).survives();
        CrashingProcess paused = start();
        paused.broker.away = "the broker is away";
        paused.run();
        paused.stopInOrder();

        CrashingProcess next = start();
        assertThat(next.survives()).isTrue();

        assertThat(next.broker.opened).as("ten alone").hasValue(10);
        next.stopInOrder();
        assertThat(nodes()).isEmpty();
    }

    /** Otherwise each event would cost a second claim, of all partitions, for the life of the process. */
    @Test
    void processThatHasRecoveredClaimsOnceForASingleEvent() {
        write(numbered(0, 10, 5));
        start().dyingOf(any -> true).survives();
        CrashingProcess next = start();
        assertThat(next.survives()).isTrue();
        next.dispatcher.checkNodes();
        next.dispatcher.useThreads(Runnable::run);
        AtomicInteger claims = new AtomicInteger();
        next.dispatcher.addListener(new DispatchListener() {
            @Override
            public void claimed(DestinationId destination, int partitions, Duration took) {
                claims.incrementAndGet();
            }
        });
        NewMessage event = message("a", "single");
        write(List.of(event));

        next.dispatcher.wake(List.of(event));

        assertThat(next.delivered()).hasSize(11).last().isEqualTo("single");
        assertThat(claims).hasValue(1);
    }

    /** Only the heads of the partitions were in flight, however large the backlog is. */
    @Test
    void noMoreIsSentAloneThanCanHaveBeenInFlight() {
        begin(
                new TestDatabase(),
                config(
                        "outbox.partitions",
                        "4",
                        "outbox.dispatcher.max-partitions",
                        "2",
                        "outbox.dispatcher.batch-size",
                        "10"));
        write(numbered(0, 200, 40));
        start().dyingOf(any -> true).survives();
        CrashingProcess next = start();

        assertThat(next.survives()).isTrue();

        assertThat(next.delivered()).hasSize(200);
        assertThat(next.broker.opened).as("20 alone, 180 in tens").hasValueBetween(20 + 18, 20 + 18 + 4);
    }

    @Test
    void messageStoredLongAfterTheCrashIsNoCrashSuspect() {
        write(numbered(0, 1, 1));
        start().dyingOf(any -> true).survives();
        database.update("UPDATE shop_node SET last_tick_at = DATEADD(HOUR, -1, last_tick_at)");
        database.update("UPDATE shop_message SET created_at = DATEADD(HOUR, -2, created_at)");
        write(numbered(1, 30, 5));
        CrashingProcess next = start();

        assertThat(next.survives()).isTrue();

        assertThat(next.broker.opened).as("one alone, and a batch").hasValue(2);
    }

    @Test
    void messageStoredSinceTheStartIsNoCrashSuspect() {
        start().dyingOf(any -> true).survives();
        CrashingProcess next = start();
        write(numbered(0, 30, 5));

        assertThat(next.survives()).isTrue();

        assertThat(next.broker.opened).as("all in one batch").hasValue(1);
    }

    /** Another node was able to send the message, so it is not the crashing one. */
    @Test
    void messageSentMeanwhileIsNoCrashSuspectNotEvenWhenReplayed() {
        write(numbered(0, 1, 1));
        start().dyingOf(any -> true).survives();
        start().dyingOf(any -> true).survives();
        database.settle(OutboxStatus.PUBLISHED, "1 = 1");
        CrashingProcess next = start();
        assertThat(next.survives()).isTrue();
        assertThat(nodes()).containsExactly(next.identity.id());

        change(MessageOperation.REPLAY);
        next.broker.onSend =
                message -> assertThat(counted()).as("the send is not counted").isEmpty();
        assertThat(next.survives()).isTrue();

        assertThat(next.delivered()).containsExactly("0");
    }

    /** A process that was running at the crash, and so knows nothing of it. */
    @Test
    void survivorSendsACountedMessageAloneToo() {
        CrashingProcess survivor = start();
        assertThat(survivor.survives()).isTrue();
        write(numbered(0, 10, 10));
        start().dyingOf(any -> true).survives();
        start().dyingOf(any -> true).survives();
        String twice = counted().get(0);
        assertThat(twice).endsWith(" 2");
        List<List<String>> countedAtSends = new ArrayList<>();
        survivor.broker.onSend = message -> countedAtSends.add(counted());

        assertThat(survivor.survives()).isTrue();

        assertThat(countedAtSends).startsWith(List.of(twice.replace(" 2", " 3")), List.of());
        assertThat(survivor.delivered()).hasSize(10);
        assertThat(survivor.broker.opened).as("one alone, and a batch").hasValue(2);
    }

    @Test
    void operatorMayTryItAgain() {
        write(numbered(0, 1, 1));
        for (int crash = 0; crash < CRASHES; crash++) {
            start().dyingOf(any -> true).survives();
        }
        CrashingProcess next = start();
        assertThat(next.survives()).isTrue();
        assertThat(database.statuses()).containsExactly("ABANDONED");

        change(MessageOperation.RETRY);
        assertThat(next.survives()).isTrue();

        assertThat(database.statuses()).containsExactly("PUBLISHED");
    }

    @Test
    void processThatStopsInOrderAmongItsCrashSuspectsCountsNothingMore() {
        write(numbered(0, 10, 10));
        start().dyingOf(any -> true).survives();
        CrashingProcess next = start();
        next.broker.onSend = message -> next.stopInOrder();

        next.run();

        assertThat(next.delivered()).hasSize(1);
        assertThat(counted()).isEmpty();
    }

    /** An orderly stop is no crash, and a hanging send may never have begun. */
    @Test
    void processThatStopsInOrderWhileASuspectsSendHangsBlamesNoMessage() throws Exception {
        write(numbered(0, 3, 3));
        start().dyingOf(any -> true).survives();
        CrashingProcess hanging = start();
        CountDownLatch inTheSend = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        hanging.broker.onSend = message -> {
            inTheSend.countDown();
            await().atMost(Duration.ofSeconds(60)).until(() -> release.getCount() == 0);
            throw failure(Blame.DESTINATION);
        };
        Thread thread = new Thread(hanging::run);
        thread.start();
        inTheSend.await();

        hanging.stopInOrder();
        assertThat(nodes()).as("the crash before is not forgotten").contains(hanging.identity.id());
        assertThat(counted()).isEmpty();
        hanging.loseItsDatabase();
        release.countDown();
        thread.join();
        CrashingProcess next = start();

        assertThat(next.survives()).isTrue();
        assertThat(next.delivered()).hasSize(3);
    }

    /** The message fails, but does not crash the process, so it is charged as usual. */
    @Test
    void poisonMessageAmongTheCrashSuspectsIsChargedAndBlocksNoOther() {
        write(numbered(0, 10, 10));
        start().dyingOf(any -> true).survives();
        CrashingProcess next = start();
        next.broker.onSend = message -> {
            if (message.body().text().equals("3")) {
                throw failure(Blame.UNKNOWN);
            }
        };

        assertThat(next.survives()).isTrue();

        assertThat(next.delivered()).hasSize(9);
        assertThat(column("status", "3")).isEqualTo("FAILED");
        assertThat(column("attempts", "3")).isEqualTo("1");
    }

    @Test
    void followersOfASuspectThatFailsWaitForIt() {
        write(List.of(message("a", "a1"), message("a", "a2"), message("b", "b1")));
        start().dyingOf(any -> true).survives();
        CrashingProcess next = start();
        next.broker.onSend = message -> {
            if (message.body().text().equals("a1")) {
                throw failure(Blame.UNKNOWN);
            }
        };

        assertThat(next.survives()).isTrue();

        assertThat(next.delivered()).containsExactly("b1");
        assertThat(database.statuses()).containsExactly("FAILED", "PENDING", "PUBLISHED");
    }

    /** Otherwise three outages would abandon a message. */
    @Test
    void outageAmongTheCrashSuspectsCountsNoMessage() {
        write(numbered(0, 10, 10));
        start().dyingOf(any -> true).survives();
        CrashingProcess next = start();
        next.broker.onSend = message -> {
            throw failure(Blame.DESTINATION);
        };

        for (int run = 0; run < 5; run++) {
            assertThat(next.run()).hasRootCauseMessage("refused by DESTINATION");
            assertThat(counted()).isEmpty();
            assertThat(database.statusesAndAttempts()).containsExactly("PENDING0");
        }

        next.broker.onSend = message -> {};
        assertThat(next.run()).isNull();
        assertThat(next.delivered()).hasSize(10);
    }

    /** The first thread holds the partitions in which messages wait, so the other one knows nothing of them. */
    @Test
    void anotherThreadThatFindsNoFreePartitionDoesNotEndTheSingleSends() {
        write(List.of(message("a", "1"), message("a", "2")));
        start().dyingOf(any -> true).survives();
        CrashingProcess next = new CrashingProcess(
                database,
                DispatchScene.config("outbox.dispatcher.batch-size", "1", "outbox.dispatcher.concurrency", "2"));
        List<List<String>> countedAtSends = new ArrayList<>();
        next.broker.onSend = message -> {
            countedAtSends.add(counted());
            CompletableFuture.runAsync(
                            () -> DispatchScene.workerOf(next.dispatcher).poll())
                    .join();
        };

        assertThat(next.survives()).isTrue();

        assertThat(countedAtSends).containsExactly(List.of("1 1"), List.of("2 1"));
    }

    /**
     * Otherwise messages that are sent beside a crashing one would be counted at its crashes. One at a time in the process,
     * which has a recovery for each outbox.
     */
    @Test
    void oneSuspectIsSentAtATimeUnlessItHangs() throws Exception {
        write(numbered(0, 2, 2));
        start().dyingOf(any -> true).survives();
        FakeBroker broker = new FakeBroker();
        CountDownLatch inTheSend = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        broker.onSend = message -> {
            if (message.body().text().equals("0")) {
                inTheSend.countDown();
                await().atMost(Duration.ofSeconds(60)).until(() -> release.getCount() == 0);
            }
        };
        FakeTransactions transactions = new FakeTransactions(database.dataSource(), broker);
        JdbcOutboxStore store = JdbcOutboxStore.open(
                transactions.dataSource(), config.store(), config.destinations().keySet());
        ThisNode node = new ThisNode("next", "shop", "host", "server", 1 << 25, "1.0");
        Environment environment = new Environment(transactions, () -> false);
        CrashRecovery recovery =
                new CrashRecovery(environment, node, () -> config, store, () -> Duration.ofSeconds(-1));
        CrashRecovery another = new CrashRecovery(
                environment, node, () -> config, store, () -> Duration.ofSeconds(-1), Duration.ofMillis(300));
        recovery.prepare();
        // The other outbox has its own rows.
        store.nodes().writeHeartbeat(new ThisNode("crashed", "shop", "host", "server", 1 << 24, "1.0"), 0);
        another.prepare();
        try (Claim claim = TestMessages.claim(
                store,
                store.claims().rowLocks(TestMessages.DESTINATION),
                0,
                limits(64, 10, 1_000_000),
                store.pendingRows()::lockable)) {
            List<OutboxMessage> messages = claim.messages();
            BatchRecovery one = TestDelivery.of(store, broker, environment, config, claim, messages.subList(0, 1));
            BatchRecovery two = TestDelivery.of(store, broker, environment, config, claim, messages.subList(1, 2));
            Thread hanging = new Thread(() -> deliver(recovery, one));
            hanging.start();
            inTheSend.await();
            Thread waiting = new Thread(() -> deliver(another, two));
            waiting.start();
            await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
            assertThat(broker.texts()).isEmpty();

            waiting.join();
            assertThat(broker.texts()).containsExactly("1");

            release.countDown();
            hanging.join();
            assertThat(broker.texts()).containsExactly("1", "0");
        }
    }

    /** The transaction manager holds the row, so the count of the send cannot be taken back. */
    @Test
    void sendInDoubtThatIsRolledBackCountsNoMoreForItsProcess() throws Exception {
        begin(new TestDatabase(), config("outbox.retry.max-attempts", "1"));
        write(numbered(0, 1, 1));
        start().dyingOf(any -> true).survives();
        CrashingProcess next = start();
        next.leaveNextCommitInDoubt();
        assertThat(next.run()).isNull();
        assertThat(counted()).containsExactly("0 1");

        next.rollBackInDoubt();

        assertThat(next.run()).isNull();
        assertThat(next.delivered()).containsExactly("0");
        assertThat(database.statuses()).containsExactly("PUBLISHED");
    }

    /** Otherwise each such send would be remembered for the life of the process. */
    @Test
    void sendInDoubtThatIsCommittedIsForgotten() throws Exception {
        write(numbered(0, 3, 3));
        FakeBroker broker = new FakeBroker();
        FakeTransactions transactions = new FakeTransactions(database.dataSource(), broker);
        List<Integer> asked = new ArrayList<>();
        JdbcOutboxStore store = ChangedStore.of(
                JdbcOutboxStore.open(
                        transactions.dataSource(),
                        config.store(),
                        config.destinations().keySet()),
                (role, method, arguments) -> {
                    if (method.getName().equals("pending")) {
                        asked.add(((Collection<?>) arguments[0]).size());
                    }
                    return ChangedStore.call(role, method, arguments);
                });
        ThisNode node = new ThisNode("next", "shop", "host", "server", 1 << 25, "1.0");
        Environment environment = new Environment(transactions, () -> false);
        CrashRecovery recovery =
                new CrashRecovery(environment, node, () -> config, store, () -> Duration.ofSeconds(-1));

        for (int i = 0; i < 3; i++) {
            transactions.unreachable = FakeTransactions.Unreachable.DATABASE_WAITS;
            try (Claim claim = TestMessages.claim(
                    store,
                    store.claims().rowLocks(TestMessages.DESTINATION),
                    0,
                    limits(64, 1, 1_000_000),
                    store.pendingRows()::lockable)) {
                Map<Long, Integer> counted = Map.of(claim.messages().get(0).sequence(), 1);
                recovery.of(TestMessages.DESTINATION)
                        .deliver(TestDelivery.of(store, broker, environment, config, claim), counted);
            }
            transactions.end();
            broker.away = null;
        }

        assertThat(asked).as("the one in doubt, and the one before").contains(2).allMatch(messages -> messages <= 2);
    }

    /** Its charge would block the key, and the retry of the earlier message would then lift that block. */
    @Test
    void crashingMessageWaitsForAnEarlierOneOfItsKeyThatFails() {
        begin(new TestDatabase(), config("outbox.retry.on-abandon", "block"));
        write(List.of(message("a", "a1"), message("a", "a2")));
        database.update("UPDATE shop_queue SET unfinished_sends = 3 WHERE seq = ?", database.sequence("a2"));
        CrashingProcess process = start();
        process.broker.onSend = message -> {
            throw failure(Blame.UNKNOWN);
        };

        assertThat(process.survives()).isTrue();

        assertThat(database.statuses()).containsExactly("FAILED", "PENDING");
    }

    private static void deliver(CrashRecovery recovery, BatchRecovery delivery) {
        try {
            recovery.of(TestMessages.DESTINATION).deliver(delivery, Map.of());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Processes are killed from outside, at any moment and any number of times. Three kills during the single send of
     * one message abandon it.
     */
    @Test
    void whateverHappensNothingIsLostDoubledOrOvertaken() {
        long seed = ThreadLocalRandom.current().nextLong();
        Random random = new Random(seed);
        begin(
                new TestDatabase(),
                config("outbox.dispatcher.batch-size", "10", "outbox.dispatcher.max-partitions", "4"));
        write(numbered(0, 100, 12));
        Set<String> inFlight = new TreeSet<>();
        boolean over = false;
        for (int starts = 0; !over; starts++) {
            int lifetime = starts < 40 ? random.nextInt(30) : Integer.MAX_VALUE;
            int[] sends = {0};
            CrashingProcess process = start().dyingOf(message -> {
                boolean dies = isCrashingMessage(message) || sends[0]++ == lifetime;
                if (dies) {
                    inFlight.add(message.body().text());
                }
                return dies;
            });
            over = process.survives() && starts >= 40;
            delivered.addAll(process.delivered());
            if (random.nextInt(4) == 0) {
                process.stopInOrder();
            }
        }

        List<String> abandoned = database.query("SELECT payload FROM shop_message_view WHERE status = 'ABANDONED'");
        assertThat(abandoned).as("seed %d", seed).contains(CRASHING_MESSAGE).isSubsetOf(inFlight);
        List<String> all = new ArrayList<>(delivered);
        all.addAll(abandoned);
        assertThat(all).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(texts(i -> i < 100, 100));
        assertThatKeysAreInOrder(12);
    }

    private static boolean isCrashingMessage(OutboxMessage message) {
        return message.body().text().equals(CRASHING_MESSAGE);
    }

    private static OutboxConfig config(String... keysAndValues) {
        return DispatchScene.config(keysAndValues);
    }

    private void begin(TestDatabase other, OutboxConfig configured) {
        database.close();
        database = other;
        config = configured;
    }

    private CrashingProcess start() {
        return start(sql -> {});
    }

    /** @param statements gets each statement of the process */
    private CrashingProcess start(Consumer<String> statements) {
        return new CrashingProcess(database, config, statements);
    }

    private JdbcOutboxStore store() {
        return JdbcOutboxStore.open(
                database.dataSource(), config.store(), config.destinations().keySet());
    }

    private void write(List<NewMessage> messages) {
        store().capture().write(messages);
    }

    private void change(MessageOperation change) {
        assertThat(TestMessages.change(store(), change, OutboxFilter.all())).hasSize(1);
    }

    /** The messages whose single send was counted and has not ended, with the count. */
    private List<String> counted() {
        return database.query("SELECT m.payload || ' ' || q.unfinished_sends FROM shop_queue q"
                + " JOIN shop_message m ON m.seq = q.seq WHERE q.unfinished_sends > 0");
    }

    private void endLeases() {
        database.update("UPDATE shop_partition SET owner = NULL, leased_until = NULL");
    }

    private List<String> nodes() {
        return database.query("SELECT node_id FROM shop_node");
    }

    private String column(String column, String text) {
        return database.query("SELECT " + column + " FROM shop_message_view WHERE payload = ?", text)
                .get(0);
    }

    private static List<String> texts(IntPredicate which) {
        return texts(which, 30);
    }

    private static List<String> texts(IntPredicate which, int count) {
        return IntStream.range(0, count).filter(which).mapToObj(String::valueOf).toList();
    }

    private void assertThatKeysAreInOrder(int keys) {
        for (int key = 0; key < keys; key++) {
            int own = key;
            assertThat(delivered.stream().map(Integer::valueOf).filter(text -> text % keys == own))
                    .isSorted();
        }
    }
}
