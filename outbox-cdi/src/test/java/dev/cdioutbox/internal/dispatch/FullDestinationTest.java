package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.dispatch.FakeBroker.failure;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.OperatorStore.Change;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A queue that is full, or has less room than a message needs: no message is charged, and who finds room need not wait for who does not. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class FullDestinationTest {
    private static final int ROOM = 100;

    @AutoClose
    private DispatchScene scene = new DispatchScene("outbox.partitions", "1");

    @Test
    void smallOnesBehindManyLargeOnesOfTheirPartitionAreDelivered() {
        List<NewMessage> messages = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            messages.add(message("large-" + i, large("large " + i)));
            messages.add(message("large-" + i, "follower " + i));
        }
        messages.addAll(numbered(0, 100, 20));
        scene.write(messages);
        scene.broker.onSend = FullDestinationTest::refuseLarge;

        scene.run();
        scene.run();

        assertThat(scene.broker.texts()).isEqualTo(texts(0, 100));
        assertThat(scene.database.query("SELECT DISTINCT attempts FROM shop_message WHERE status <> 'PUBLISHED'"))
                .containsExactly("0");

        scene.broker.onSend = message -> {};
        scene.broker.delivered.clear();
        scene.database.makeDue();
        scene.run();
        List<String> rest = scene.broker.texts();
        assertThat(rest).hasSize(40).doesNotHaveDuplicates();
        for (int i = 0; i < 20; i++) {
            assertThat(rest).containsSubsequence(large("large " + i), "follower " + i);
        }
    }

    /** Then nothing of it gets through, and what is behind it was not even read. */
    @Test
    void largeMessagesThatFillABatchBlockNoneBehindThem() {
        begin("outbox.dispatcher.batch-max-bytes", "1024");
        List<NewMessage> messages = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            messages.add(message("large-" + i, large("large " + i) + "x".repeat(200)));
        }
        messages.addAll(numbered(0, 50, 10));
        scene.write(messages);
        scene.broker.onSend = FullDestinationTest::refuseLarge;

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).isEqualTo(texts(0, 50));
    }

    @Test
    void messageThatIsNeverAcceptedIsNoFailureOfItsDestination() {
        scene.write("a", large("large"));
        scene.broker.onSend = FullDestinationTest::refuseLarge;

        for (int run = 0; run < 3; run++) {
            assertThat(scene.run()).isNull();
            assertThat(scene.column("status || attempts", large("large"))).isEqualTo("FAILED0");
            assertThat(scene.column("last_error", large("large"))).isEqualTo("refused by DESTINATION_FULL");
            scene.database.makeDue();
        }
        assertThat(scene.worker.requestRun()).as("others are sent at once").isTrue();
    }

    @Test
    void fullQueueMakesEachRunFailAndReschedulesAFewOnly() {
        AtomicInteger sends = new AtomicInteger();
        scene.broker.onSend = message -> {
            sends.incrementAndGet();
            throw failure(Blame.DESTINATION_FULL);
        };
        scene.write(numbered(0, 100, 50));

        for (int run = 1; run <= 3; run++) {
            assertThat(scene.run()).hasRootCauseMessage("refused by DESTINATION_FULL");
            assertThat(scene.worker.failures()).isEqualTo(run);
        }
        assertThat(scene.database.query("SELECT COUNT(*) FROM shop_message WHERE status = 'FAILED'"))
                .containsExactly("8");
        assertThat(sends).hasValueLessThan(100);

        scene.broker.onSend = message -> {};
        scene.database.makeDue();
        assertThat(scene.run()).isNull();
        assertThat(scene.broker.texts()).hasSize(100).doesNotHaveDuplicates();
        assertThat(scene.database.query("SELECT DISTINCT attempts FROM shop_message"))
                .containsExactly("1");

        scene.write("new", large("large"));
        scene.broker.onSend = FullDestinationTest::refuseLarge;
        assertThat(scene.run()).as("it was full, and is no more").isNull();
    }

    /** What was put off comes first when it is due again. */
    @Test
    void messagesRejectedBeforeKeepNoOtherFromBeingTried() {
        AtomicInteger room = new AtomicInteger();
        scene.broker.onSend = message -> {
            if (!message.body().text().equals("99") || room.get() == 0) {
                throw failure(Blame.DESTINATION_FULL);
            }
        };
        scene.write(numbered(0, 8, 8));
        scene.run();
        scene.database.makeDue();
        scene.write(numbered(99, 1, 100));
        room.set(1);

        scene.run();

        assertThat(scene.broker.texts()).containsExactly("99");
    }

    @Test
    void expiredAndUnreadableMessagesAreSettledThoughTheDestinationIsFull() {
        scene.write(List.of(message("a", "expired"), message("b", "garbage"), message("b", "2")));
        scene.write(numbered(0, 40, 40));
        scene.database.update("UPDATE shop_message SET message_id = 'no uuid' WHERE payload = 'garbage'");
        scene.database.update("UPDATE shop_message SET expires_at = created_at WHERE payload = 'expired'");
        scene.broker.onSend = message -> {
            throw failure(Blame.DESTINATION_FULL);
        };

        scene.run();

        assertThat(scene.column("status", "expired")).isEqualTo("EXPIRED");
        assertThat(scene.column("status", "garbage")).isEqualTo("ABANDONED");
    }

    @Test
    void whatCannotBeReadDoesNotWaitForItsDestination() {
        scene.write(List.of(message("a", "garbage"), message("b", "1")));
        scene.database.update("UPDATE shop_message SET message_id = 'no uuid' WHERE payload = 'garbage'");
        scene.broker.away = "the broker is away";
        scene.worker.probeState().provenFor(scene.config.destinations().get("default"));

        assertThat(scene.run()).isNotNull();

        assertThat(scene.database.statuses()).containsExactly("ABANDONED", "PENDING");
    }

    /** Else it would come before what is left: here what is over, and was not settled since another message failed. */
    @Test
    void onlyTheFirstMessageOfAKeyIsRescheduled() {
        scene.write(List.of(message("k", "k1"), message("k", "k2"), message("p", "poison"), message("x", "x")));
        scene.database.update("UPDATE shop_message SET expires_at = created_at WHERE payload = 'k1'");
        scene.broker.onSend = message -> {
            if (message.body().text().equals("poison")) {
                throw failure(Blame.UNKNOWN);
            }
            if (scene.broker.opened.get() > 1) {
                throw failure(Blame.DESTINATION_FULL);
            }
        };

        scene.run();

        assertThat(scene.column("status", "x")).isEqualTo("FAILED");
        assertThat(scene.column("status", "k2")).isEqualTo("PENDING");
    }

    /** It had one charged attempt when it was claimed. */
    @Test
    void attemptsThatAnOperatorGivesBackMeanwhileStayGivenBack() {
        scene.write(List.of(message("a", "unlucky"), message("b", "1")));
        scene.broker.onSend = message -> {
            if (message.body().text().equals("unlucky")) {
                throw failure(Blame.UNKNOWN);
            }
        };
        scene.run();
        assertThat(scene.column("status || attempts", "unlucky")).isEqualTo("FAILED1");
        scene.database.makeDue();
        scene.broker.onSend = message -> {
            giveBackAttempts();
            throw failure(Blame.DESTINATION_FULL);
        };

        scene.run();

        assertThat(scene.column("attempts", "unlucky")).isEqualTo("0");
    }

    /** Sizes, room and the partitions' order change from run to run. */
    @ParameterizedTest
    @EnumSource(Guarantee.class)
    void fullDestinationLosesDoublesChargesAndReordersNothing(Guarantee guarantee) {
        long seed = ThreadLocalRandom.current().nextLong();
        Random random = new Random(seed);
        begin(
                "outbox.dispatcher.delivery",
                guarantee.toString(),
                "outbox.dispatcher.batch-max-bytes",
                "2048",
                "outbox.retry.on-abandon",
                "block");
        List<NewMessage> messages = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            messages.add(message("key-" + i % 30, i + " " + "x".repeat(random.nextInt(300))));
        }
        scene.write(messages);
        AtomicInteger room = new AtomicInteger();
        AtomicInteger slots = new AtomicInteger();
        scene.broker.onSend = message -> {
            if (message.body().bytes() > room.get() || random.nextInt(100) >= slots.get()) {
                throw failure(Blame.DESTINATION_FULL);
            }
        };
        for (int run = 0; run < 30; run++) {
            room.set(random.nextInt(400));
            slots.set(random.nextInt(120));
            scene.run();
            if (random.nextBoolean()) {
                scene.database.makeDue();
            }
        }
        scene.broker.onSend = message -> {};
        scene.database.makeDue();
        scene.run();

        List<Integer> delivered = scene.broker.texts().stream()
                .map(text -> Integer.valueOf(text.substring(0, text.indexOf(' '))))
                .toList();
        assertThat(delivered).as("seed %d", seed).hasSize(300).doesNotHaveDuplicates();
        for (int key = 0; key < 30; key++) {
            int own = key;
            assertThat(delivered.stream().filter(number -> number % 30 == own))
                    .as("seed %d", seed)
                    .isSorted();
        }
        assertThat(scene.database.query("SELECT DISTINCT status || attempts FROM shop_message"))
                .containsExactly("PUBLISHED1");
    }

    /** As an operator does, on a connection of his own. */
    private void giveBackAttempts() {
        Transactions.callStore(scene.transactions, "retrying", () -> scene.store
                .operations()
                .change(Change.RETRY, OutboxFilter.all()));
    }

    private void begin(String... keysAndValues) {
        scene.close();
        List<String> all = new ArrayList<>(List.of(keysAndValues));
        all.addAll(List.of("outbox.partitions", "1"));
        scene = new DispatchScene(all.toArray(String[]::new));
    }

    private static void refuseLarge(OutboxMessage message) throws PublishException {
        if (message.body().bytes() > ROOM) {
            throw failure(Blame.DESTINATION_FULL);
        }
    }

    private static String large(String text) {
        return text + " " + "x".repeat(ROOM);
    }

    private static List<String> texts(int first, int count) {
        return numbered(first, count, 1).stream().map(m -> m.body().text()).toList();
    }
}
