package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.dispatch.FakeBroker.failure;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntPredicate;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.JdbcOutboxStore;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.internal.store.OperatorStore.Change;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A message may kill the process that sends it, each time. Processes follow each other here, on one machine. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class CrashingMessageTest {
    static {
        // Not within the time-out of the first test that uses it.
        Database.POSTGRESQL.start();
    }

    private static final String CRASHING_MESSAGE = "7";
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
                Arguments.of(Database.POSTGRESQL, new String[] {
                    "outbox.dispatcher.delivery", "at-least-once", "outbox.dispatcher.claim", "lock"
                }),
                Arguments.of(Database.H2, new String[] {
                    "outbox.dispatcher.delivery", "at-least-once", "outbox.dispatcher.claim", "lease"
                }));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void crashingMessageIsAbandonedAfterTwoCrashesAndTheOthersAreSentOnceAndInOrder(
            Database kind, String[] keysAndValues) {
        begin(kind == Database.H2 ? new TestDatabase() : new TestDatabase(kind), config(keysAndValues));
        write(numbered(0, 30, 5));

        assertThat(start().dyingOf(CrashingMessageTest::isCrashingMessage).survives())
                .isFalse();
        assertThat(column("status", CRASHING_MESSAGE)).isEqualTo("PENDING");
        CrashingProcess second = start().dyingOf(CrashingMessageTest::isCrashingMessage);
        assertThat(second.survives()).isFalse();
        delivered.addAll(second.delivered());
        CrashingProcess third = start().dyingOf(CrashingMessageTest::isCrashingMessage);
        assertThat(third.survives()).isTrue();
        delivered.addAll(third.delivered());

        boolean blocks = config.retry().blockOnAbandon();
        assertThat(column("status", CRASHING_MESSAGE)).isEqualTo("ABANDONED");
        assertThat(column("last_error", CRASHING_MESSAGE))
                .startsWith("OBX-0416: ")
                .contains("(" + second.identity.process() + " on host)");
        assertThat(delivered)
                .containsExactlyInAnyOrderElementsOf(texts(i -> i != 7 && (!blocks || i % 5 != 2 || i < 7)));
        assertThatKeysAreInOrder(5);
    }

    @Test
    void nothingIsSentSinglyWithoutACrash() {
        write(numbered(0, 30, 5));
        CrashingProcess first = start();
        first.survives();
        first.stopInOrder();
        first.dispatcher.register();
        write(numbered(30, 30, 5));
        CrashingProcess second = start();

        assertThat(second.survives()).isTrue();

        assertThat(second.broker.opened).as("all in one batch").hasValue(1);
        assertThat(nodes()).containsExactly(second.identity.id());
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

    /** However large the backlog is: what was in flight stood at its head. */
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

    /** Another node could send it. */
    @Test
    void messageSentMeanwhileIsNoCrashSuspectNotEvenWhenReplayed() {
        write(numbered(0, 1, 1));
        start().dyingOf(any -> true).survives();
        start().dyingOf(any -> true).survives();
        database.update("UPDATE shop_message SET status = 'PUBLISHED', queue_id = NULL");
        CrashingProcess next = start();
        assertThat(next.survives()).isTrue();
        assertThat(nodes()).containsExactly(next.identity.id());

        change(Change.REPLAY);
        assertThat(next.survives()).isTrue();

        assertThat(next.delivered()).containsExactly("0");
    }

    @Test
    void operatorMayTryItAgain() {
        write(numbered(0, 1, 1));
        start().dyingOf(any -> true).survives();
        start().dyingOf(any -> true).survives();
        CrashingProcess next = start();
        assertThat(next.survives()).isTrue();
        assertThat(database.statuses()).containsExactly("ABANDONED");
        assertThat(nodes()).containsExactly(next.identity.id());

        change(Change.RETRY);
        assertThat(next.survives()).isTrue();

        assertThat(database.statuses()).containsExactly("PUBLISHED");
    }

    /** With on-abandon=block and a rolling restart, several processes have read the same note. */
    @Test
    void messageThatAnotherProcessHasJudgedIsNotJudgedAgain() throws Exception {
        write(numbered(0, 1, 1));
        start().dyingOf(any -> true).survives();
        List<OutboxMessage> fatal = new ArrayList<>();
        start().dyingOf(fatal::add).survives();
        CrashRecovery late = new CrashRecovery(
                store(),
                new FakeTransactions(database.dataSource(), new FakeBroker()),
                new NodeIdentity("late", "host", "server", 1, "1.0"),
                () -> Duration.ofSeconds(-1));
        late.prepare(new DestinationWorker(TestMessages.DESTINATION));
        assertThat(late.crashedNodeSending(fatal.get(0))).isNotNull();

        assertThat(start().survives()).isTrue();

        assertThat(database.statuses()).containsExactly("ABANDONED");
        assertThat(late.crashedNodeSending(fatal.get(0))).isNull();
    }

    @Test
    void allNotesOfTheDeadAreForgottenOnceItIsJudged() {
        write(numbered(0, 1, 1));
        start().dyingOf(any -> true).survives();
        start().dyingOf(any -> true).survives();
        database.update("INSERT INTO shop_node (node_id, application, host, server, process, version, started_at,"
                + " last_tick_at, sending) SELECT 'more', application, host, server, 67108000, version, started_at,"
                + " last_tick_at, sending FROM shop_node WHERE sending IS NOT NULL");
        CrashingProcess next = start();

        assertThat(next.survives()).isTrue();

        assertThat(database.statuses()).containsExactly("ABANDONED");
        assertThat(nodes()).containsExactly(next.identity.id());
    }

    @Test
    void processThatStopsInOrderAmongItsCrashSuspectsRecordsNothingMore() {
        write(numbered(0, 10, 10));
        start().dyingOf(any -> true).survives();
        CrashingProcess next = start();
        next.broker.onSend = message -> next.stopInOrder();

        next.runUntilStopped();

        assertThat(next.delivered()).hasSize(1);
        assertThat(notes()).isEmpty();
    }

    /** A stop is no death, and the send that hangs may never have begun. */
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
        assertThat(nodes()).as("it still minds the death before it").contains(hanging.identity.id());
        hanging.loseItsDatabase();
        release.countDown();
        thread.join();
        CrashingProcess next = start();

        assertThat(next.survives()).isTrue();
        assertThat(next.delivered()).hasSize(3);
    }

    /** The stop may come after the last look whether there is one. */
    @Test
    void nothingIsNotedOrSentAloneFromTheStopOn() throws Exception {
        CrashingProcess process = start();
        CrashRecovery crashRecovery = new CrashRecovery(
                store(), new FakeTransactions(database.dataSource(), process.broker), process.identity, null);
        OutboxMessage message = TestMessages.stored(5, "a", 0);
        assertThat(crashRecovery.lockSingleDelivery(Duration.ZERO)).isTrue();
        try {
            assertThat(crashRecovery.recordSend(message)).isTrue();
            assertThat(notes()).containsExactly("5");
            crashRecovery.stop();
            assertThat(notes()).isEmpty();

            assertThat(crashRecovery.recordSend(message)).isFalse();
            assertThat(notes()).isEmpty();
        } finally {
            crashRecovery.unlockSingleDelivery();
        }
    }

    @Test
    void noteOfAProcessThatHasGoneInOrderIsNotWritten() {
        store().nodeRegistry().recordSending(new NodeIdentity("gone", "host", "server", 1, "1.0"), 5L);

        assertThat(nodes()).isEmpty();
    }

    @Test
    void applicationsOfOneJvmAlternate() throws Exception {
        CrashRecovery any = new CrashRecovery(null, null, null, null);
        assertThat(any.lockSingleDelivery(Duration.ZERO)).isTrue();
        any.unlockSingleDelivery();

        assertThat(System.getProperties().get("dev.cdioutbox.alone"))
                .as("of a class that all of them share")
                .isExactlyInstanceOf(ReentrantLock.class);
    }

    @Test
    void waitingWorkerDoesNotConsiderAProgressingOneStalled() throws Exception {
        CrashRecovery one = new CrashRecovery(null, null, null, null);
        assertThat(one.lockSingleDelivery(Duration.ZERO)).isTrue();
        try {
            assertThat(one.isStalled(Duration.ofHours(1))).isFalse();
            assertThat(one.isStalled(Duration.ZERO)).isTrue();
        } finally {
            one.unlockSingleDelivery();
        }
    }

    /** A server that stops waits for what is under way. */
    @Test
    void workerThatWaitsForSingleDeliverySoonHandsOver() throws Exception {
        write(numbered(0, 3, 3));
        start().dyingOf(any -> true).survives();
        CrashingProcess next = start();
        List<String> called = new ArrayList<>();
        next.dispatcher.handOverWith(called::add, Duration.ZERO);
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Thread another = new Thread(() -> sendSingly(entered, release));
        another.start();
        entered.await();

        try {
            assertThat(next.run()).isNull();

            assertThat(next.delivered())
                    .as("long before that one is taken for stuck")
                    .isEmpty();
            assertThat(called).hasSize(1);
        } finally {
            release.countDown();
            another.join();
        }
        assertThat(next.run()).isNull();
        assertThat(next.delivered()).isNotEmpty();
    }

    private static void sendSingly(CountDownLatch entered, CountDownLatch release) {
        CrashRecovery crashRecovery = new CrashRecovery(null, null, null, null);
        try {
            if (crashRecovery.lockSingleDelivery(Duration.ofSeconds(60))) {
                entered.countDown();
                while (!release.await(100, TimeUnit.MILLISECONDS)) {
                    // It gets on, however long the other one is kept from asking.
                    SingleDeliveryLock.sendBegins(() -> true);
                }
                crashRecovery.unlockSingleDelivery();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** It may be of another application, whose note is in another database. */
    @Test
    void noteOfTheOneThatHangsIsErasedByWhoGoesOnBesideIt() throws Exception {
        write(numbered(0, 3, 3));
        start().dyingOf(any -> true).survives();
        CrashingProcess hanging = start();
        CountDownLatch inTheSend = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        hanging.broker.onSend = message -> {
            inTheSend.countDown();
            await().atMost(Duration.ofSeconds(60)).until(() -> release.getCount() == 0);
        };
        Thread thread = new Thread(hanging::run);
        thread.start();
        inTheSend.await();
        assertThat(notes()).hasSize(1);
        CrashRecovery other = new CrashRecovery(null, null, null, null);
        try {
            assertThat(other.lockSingleDelivery(Duration.ZERO)).isFalse();
            assertThat(other.isStalled(Duration.ZERO)).isTrue();

            assertThat(notes()).isEmpty();
        } finally {
            release.countDown();
            thread.join();
        }
        assertThat(hanging.delivered()).hasSize(3);
    }

    /** It fails, and does not kill: so it is blamed as always. */
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
    void outageAmongTheCrashSuspectsChargesNoMessageAndIsMetOnce() {
        write(numbered(0, 10, 10));
        start().dyingOf(any -> true).survives();
        CrashingProcess next = start();
        next.broker.away = "the broker is away";

        assertThat(next.run()).hasRootCauseMessage("the broker is away");

        next.broker.away = null;
        assertThat(next.run()).isNull();
        assertThat(next.delivered()).hasSize(10);
        assertThat(database.query("SELECT DISTINCT attempts FROM shop_message")).containsExactly("1");
        assertThat(notes()).isEmpty();
    }

    /** Killed from outside, at any moment and as often as may be: who is killed twice in a row may lose an innocent message to it. */
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

        List<String> abandoned = database.query("SELECT payload FROM shop_message WHERE status = 'ABANDONED'");
        assertThat(abandoned).as("seed %d", seed).contains(CRASHING_MESSAGE).isSubsetOf(inFlight);
        List<String> all = new ArrayList<>(delivered);
        all.addAll(abandoned);
        assertThat(all).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(texts(i -> i < 100, 100));
        assertThatKeysAreInOrder(12);
    }

    /** Two at a time would be noted at one death, and one of them is innocent. */
    @Test
    void oneMessageIsAloneAtATimeInAProcess() throws Exception {
        CrashRecovery one = new CrashRecovery(null, null, null, null);
        CrashRecovery other = new CrashRecovery(null, null, null, null);
        assertThat(one.lockSingleDelivery(Duration.ZERO)).isTrue();
        Thread thread = new Thread(() -> {
            try {
                if (other.lockSingleDelivery(Duration.ZERO)) {
                    delivered.add("entered");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        thread.start();
        thread.join();
        one.unlockSingleDelivery();

        assertThat(delivered).isEmpty();
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
        return new CrashingProcess(database, config);
    }

    private JdbcOutboxStore store() {
        return JdbcOutboxStore.open(
                database.dataSource(), config.store(), config.destinations().keySet());
    }

    private void write(List<NewMessage> messages) {
        store().write(messages);
    }

    private void change(Change change) {
        assertThat(store().operations().change(change, OutboxFilter.all())).hasSize(1);
    }

    /** What is noted as sent alone. */
    private List<String> notes() {
        return database.query("SELECT sending FROM shop_node WHERE sending IS NOT NULL");
    }

    private List<String> nodes() {
        return database.query("SELECT node_id FROM shop_node");
    }

    private String column(String column, String text) {
        return database.query("SELECT " + column + " FROM shop_message WHERE payload = ?", text)
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
