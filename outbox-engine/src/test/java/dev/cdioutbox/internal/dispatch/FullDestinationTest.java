package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.dispatch.FakeBroker.failure;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.claim.PartitionRange;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Guards the reaction to a full queue: accepted messages are committed, the worker backs off, and no message is
 * charged.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class FullDestinationTest {
    @AutoClose
    private DispatchScene scene = new DispatchScene("outbox.partitions", "1");

    @Test
    void whatFoundRoomIsCommittedAndTheRestWaitsUncharged() {
        AtomicInteger room = new AtomicInteger(60);
        scene.broker.onSend = message -> {
            if (scene.broker.delivered.size() + scene.broker.staged() >= room.get()) {
                throw failure(Blame.DESTINATION_FULL);
            }
        };
        scene.write(numbered(0, 100, 10));

        assertThat(scene.run()).hasRootCauseMessage("refused by DESTINATION_FULL");
        assertThat(scene.broker.texts()).isEqualTo(texts(0, 60));
        assertThat(scene.database.statusesAndAttempts()).containsExactly("PENDING0", "PUBLISHED1");
        assertThat(scene.worker.wake(PartitionRange.ALL)).as("it backs off").isFalse();

        room.set(100);
        assertThat(scene.run()).isNull();
        assertThat(scene.broker.texts()).isEqualTo(texts(0, 100));
    }

    /** Some publishers commit a transaction of the transport, which finds no room. */
    @ParameterizedTest
    @EnumSource(Guarantee.class)
    void commitThatFindsNoRoomChargesNoMessage(Guarantee guarantee) {
        begin("outbox.dispatcher.delivery", guarantee.toString());
        scene.run();
        scene.write(numbered(0, 4, 4));
        scene.broker.refusedAtCommit.add("2");
        scene.transactions.whyCommitFails = new IllegalStateException(failure(Blame.DESTINATION_FULL));

        assertThat(scene.run()).hasRootCauseMessage("refused by DESTINATION_FULL");

        assertThat(scene.broker.texts()).containsExactly("0", "1");
        assertThat(scene.database.statusesAndAttempts()).containsExactly("PENDING0", "PUBLISHED1");
    }

    /** A commit may find no room without a reason, but the publisher finds it out. */
    @ParameterizedTest
    @EnumSource(Guarantee.class)
    void destinationThatHasNoRoomAfterARefusedCommitChargesNoMessage(Guarantee guarantee) {
        begin("outbox.dispatcher.delivery", guarantee.toString());
        scene.run();
        scene.write(numbered(0, 4, 4));
        scene.broker.refusedAtCommit.add("2");
        scene.broker.isFull = true;

        assertThat(scene.run()).hasRootCauseMessage("refused by DESTINATION_FULL");
        assertThat(scene.run()).hasRootCauseMessage("refused by DESTINATION_FULL");

        assertThat(scene.broker.sends).as("the second run only asks for room").containsEntry("0", 1);
        assertThat(scene.database.statusesAndAttempts()).containsExactly("PENDING0");
    }

    /** For the answer, a publisher may have to store a message as large as a batch. */
    @Test
    void destinationThatDoesNotFailIsNotAskedForRoom() {
        scene.broker.isFull = true;
        scene.write(numbered(0, 4, 4));

        assertThat(scene.run()).isNull();
        assertThat(scene.broker.texts()).hasSize(4);
    }

    @Test
    void fullQueueCostsOneSendForEachRunAndOneLine() {
        scene.broker.onSend = message -> {
            throw failure(Blame.DESTINATION_FULL);
        };
        scene.write(numbered(0, 100, 50));
        try (LogLines logged = new LogLines(FailureLog.class.getName())) {
            for (int run = 1; run <= 3; run++) {
                assertThat(scene.run()).hasRootCauseMessage("refused by DESTINATION_FULL");
                assertThat(scene.worker.failures()).isEqualTo(run);
            }
            assertThat(logged.all()).singleElement(STRING).startsWith("OBX-0418: destination 'default': ");
        }
        assertThat(scene.broker.sends).isEqualTo(Map.of("0", 3));
        assertThat(scene.database.statusesAndAttempts()).containsExactly("PENDING0");

        scene.broker.onSend = message -> {};
        assertThat(scene.run()).isNull();
        assertThat(scene.broker.texts()).hasSize(100).doesNotHaveDuplicates();
    }

    /** A message that is too large for the remaining room is the first of its partition only, but of each claim of both. */
    @Test
    void nextRunBeginsWithAnotherPartition() {
        begin("outbox.partitions", "2", "outbox.dispatcher.max-partitions", "2");
        scene.write(numbered(0, 20, 20));
        scene.broker.onSend = message -> {
            if (scene.column(
                            "message", "MOD(partition_id, 4096)", message.body().text())
                    .equals("2")) {
                throw failure(Blame.DESTINATION_FULL);
            }
        };

        scene.run();
        scene.run();

        assertThat(scene.statuses(1)).containsExactly("PUBLISHED");
    }

    @Test
    void messagesThatFailBesideAFullQueueAreCharged() {
        scene.write(List.of(message("a", "never"), message("b", "poison"), message("c", "1"), message("d", "2")));
        scene.broker.onSend = message -> {
            switch (message.body().text()) {
                case "never" -> throw failure(Blame.MESSAGE);
                case "poison" -> throw failure(Blame.UNKNOWN);
                case "2" -> throw failure(Blame.DESTINATION_FULL);
                default -> {}
            }
        };

        assertThat(scene.run()).hasRootCauseMessage("refused by DESTINATION_FULL");

        assertThat(scene.database.statuses()).containsExactly("ABANDONED", "FAILED", "PUBLISHED", "PENDING");
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
        scene.run();
        scene.write(List.of(message("a", "garbage"), message("b", "1")));
        scene.database.update("UPDATE shop_message SET message_id = 'no uuid' WHERE payload = 'garbage'");
        scene.broker.away = "the broker is away";

        assertThat(scene.run()).isNotNull();

        assertThat(scene.database.statuses()).containsExactly("ABANDONED", "PENDING");
    }

    /** Message sizes are random, and the room in the queue changes from run to run. */
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
        assertThat(scene.database.statusesAndAttempts()).containsExactly("PUBLISHED1");
    }

    private void begin(String... keysAndValues) {
        scene.close();
        List<String> all = new ArrayList<>(List.of(keysAndValues));
        if (!all.contains("outbox.partitions")) {
            all.addAll(List.of("outbox.partitions", "1"));
        }
        scene = new DispatchScene(all.toArray(String[]::new));
    }

    private static List<String> texts(int first, int count) {
        return numbered(first, count, 1).stream().map(m -> m.body().text()).toList();
    }
}
