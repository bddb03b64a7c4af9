package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.problem.LogLines;
import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is to blame when a batch fails as a whole, or from some message on. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class CommitFailureTest {
    @AutoClose
    private final DispatchScene scene = new DispatchScene("outbox.partitions", "1");

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 250, 498, 499})
    void messageThatIsRefusedAtTheCommitCostsItselfAndTheOther499ArePublished(int poison) {
        scene.write(numbered(0, 500, 500));
        scene.broker.refusedAtCommit.add(String.valueOf(poison));

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts())
                .hasSize(499)
                .doesNotContain(String.valueOf(poison))
                .doesNotHaveDuplicates();
        assertThat(scene.column("status", String.valueOf(poison))).isEqualTo("FAILED");
        assertThat(scene.column("attempts", String.valueOf(poison))).isEqualTo("1");
        assertThat(scene.column("last_error", String.valueOf(poison))).contains("the commit failed");
    }

    @Test
    void followersOfAMessageThatIsRefusedAtTheCommitWait() {
        scene.write(List.of(message("a", "a1"), message("a", "a2"), message("b", "b1"), message("a", "a3")));
        scene.broker.refusedAtCommit.add("a2");

        scene.run();
        scene.run();

        assertThat(scene.broker.texts()).containsExactly("a1", "b1");
        assertThat(scene.database.statuses()).containsExactly("PUBLISHED", "FAILED", "PUBLISHED", "PENDING");
    }

    @Test
    void commitsThatAllFailChargeNoMessageAndAreNotTriedForEachMessage() {
        scene.run();
        scene.write(numbered(0, 500, 500));
        scene.transactions.failingCommits.set(Integer.MAX_VALUE);

        assertThat(scene.run()).hasRootCauseMessage("the commit failed");

        assertThat(scene.database.query("SELECT DISTINCT status || attempts FROM shop_message"))
                .containsExactly("PENDING0");
        assertThat(scene.transactions.failedCommits.get()).isLessThan(40);
    }

    @Test
    void commitsThatGoOnFailingCostOneForEachRunAndOneLine() {
        scene.run();
        scene.write(numbered(0, 500, 100));
        scene.transactions.failingCommits.set(Integer.MAX_VALUE);
        try (LogLines logged = new LogLines(BatchDelivery.class.getName())) {
            scene.run();
            int first = scene.transactions.failedCommits.get();
            for (int run = 0; run < 20; run++) {
                assertThat(scene.run()).hasRootCauseMessage("the commit failed");
            }
            assertThat(scene.transactions.failedCommits).hasValue(first + 20);
            assertThat(logged.all())
                    .filteredOn(line -> line.contains("OBX-0411"))
                    .hasSize(1);
        }

        scene.transactions.failingCommits.set(0);
        assertThat(scene.run()).isNull();
        assertThat(scene.broker.texts()).hasSize(500).doesNotHaveDuplicates();
        assertThat(scene.broker.opened)
                .as("the first, those alone, and batches")
                .hasValueLessThan(60);
        for (int key = 0; key < 100; key++) {
            int residue = key;
            assertThat(scene.broker.texts().stream().map(Integer::valueOf).filter(n -> n % 100 == residue))
                    .isSorted();
        }
    }

    /** It would go ahead each time, and keep all others waiting. */
    @Test
    void messageThatIsToBlameDoesNotKeepTheOthersFromGoingAhead() {
        scene.run();
        scene.write(numbered(0, 100, 50));
        scene.broker.refusedAtCommit.add("0");
        scene.transactions.failingCommits.set(Integer.MAX_VALUE);
        scene.run();
        scene.transactions.failingCommits.set(0);

        scene.run();
        scene.run();

        assertThat(scene.broker.texts()).hasSize(98).doesNotContain("0", "50");
        assertThat(scene.column("status || attempts", "0")).isEqualTo("FAILED1");
    }

    @Test
    void messagesOfASplitBatchKeepTheirOrder() {
        scene.write(numbered(0, 200, 4));
        scene.broker.refusedAtCommit.addAll(List.of("17", "102"));

        scene.run();

        for (int key = 0; key < 4; key++) {
            int residue = key;
            List<Integer> sent = scene.broker.texts().stream()
                    .map(Integer::valueOf)
                    .filter(number -> number % 4 == residue)
                    .toList();
            assertThat(sent).isSorted();
            int end = residue == 17 % 4 ? 17 : residue == 102 % 4 ? 102 : 200;
            assertThat(sent).hasSize((end - residue + 3) / 4);
        }
    }

    /** It does not say so; and of the last two that it refuses neither is told from a message that is to blame. */
    @ParameterizedTest
    @ValueSource(ints = {62, 100})
    void fullQueueChargesNoMessage(int messages) {
        AtomicInteger room = new AtomicInteger(60);
        scene.broker.onSend = sent -> {
            if (scene.broker.delivered.size() + scene.broker.staged() >= room.get()) {
                throw FakeBroker.failure(Blame.UNKNOWN);
            }
        };
        scene.write(numbered(0, messages, 100));

        assertThat(scene.run()).isNotNull();
        assertThat(scene.broker.delivered).hasSize(60);
        assertThat(scene.database.query("SELECT MAX(attempts) FROM shop_message WHERE status = 'PENDING'"))
                .containsExactly("0");

        room.set(1000);
        assertThat(scene.run()).isNull();
        assertThat(scene.broker.texts()).hasSize(messages).doesNotHaveDuplicates();
    }

    /** A consumer takes one now and then, so that one in five gets through. */
    @Test
    void fullQueueWithASlowConsumerChargesNoMessageAndAcceptsWhatFits() {
        AtomicInteger sends = new AtomicInteger();
        scene.broker.onSend = sent -> {
            if (sends.incrementAndGet() % 5 != 0) {
                throw FakeBroker.failure(Blame.DESTINATION_FULL);
            }
        };
        scene.write(numbered(0, 100, 100));

        // The last ones find no room at times; then they wait, or the worker rests.
        for (int run = 0; run < 20; run++) {
            scene.run();
            scene.database.makeDue();
        }

        assertThat(scene.broker.texts()).hasSize(100).doesNotHaveDuplicates();
        assertThat(scene.database.query("SELECT DISTINCT status || attempts FROM shop_message"))
                .containsExactly("PUBLISHED1");
        assertThat(scene.broker.opened).as("a batch ends after a few refusals").hasValueGreaterThan(40);
    }

    @Test
    void fullQueueThatAcceptsNothingLetsTheWorkerRest() {
        scene.broker.onSend = sent -> {
            throw FakeBroker.failure(Blame.DESTINATION_FULL);
        };
        scene.write(numbered(0, 100, 100));

        assertThat(scene.run()).hasRootCauseMessage("refused by DESTINATION_FULL");

        assertThat(scene.worker.failures()).isEqualTo(1);
        assertThat(scene.database.query("SELECT DISTINCT attempts FROM shop_message"))
                .containsExactly("0");
    }

    /** One that is too large for the queue's room, say, holds up its key only. */
    @Test
    void messageThatIsNeverAcceptedBlocksItsKeyOnly() {
        scene.write(List.of(message("a", "large"), message("a", "follower"), message("b", "b1"), message("b", "b2")));
        scene.broker.onSend = sent -> {
            if (sent.body().text().equals("large")) {
                throw FakeBroker.failure(Blame.DESTINATION_FULL);
            }
        };

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).containsExactly("b1", "b2");
        assertThat(scene.database.statuses()).containsExactly("FAILED", "PENDING", "PUBLISHED", "PUBLISHED");
    }

    /** It does not say that it is full. */
    @Test
    void oneThatGetsThroughChargesAFewOfThoseThatFailedBefore() {
        scene.write(numbered(0, 100, 100));
        scene.broker.onSend = sent -> {
            if (!sent.body().text().equals("99")) {
                throw FakeBroker.failure(Blame.UNKNOWN);
            }
        };

        scene.run();

        assertThat(scene.broker.texts()).containsExactly("99");
        assertThat(scene.database.query("SELECT COUNT(*) FROM shop_message WHERE status = 'FAILED'"))
                .containsExactly("8");
    }

    @Test
    void batchEndsByTimeAndLeavesTheRestWhereItIs() throws Exception {
        AtomicLong clock = new AtomicLong();
        FakeBroker slow = new FakeBroker();
        slow.onSend = sent -> clock.addAndGet(Duration.ofSeconds(2).toNanos());
        List<OutboxMessage> batch = new ArrayList<>();
        IntStream.range(0, 10).forEach(i -> batch.add(TestMessages.stored(i, "key-" + i, 0)));

        SendResult sent =
                new BatchSender(slow, clock::get, () -> false).send("default", batch, DatabaseClock.at(Instant.now()));

        assertThat(sent.messages()).containsExactlyElementsOf(batch.subList(0, 3));
        assertThat(sent.next()).isEqualTo(batch.get(3));
        assertThat(sent.failures()).isEmpty();
    }

    /** Else a connection that takes long each time would leave no time for any message. */
    @Test
    void timeOfABatchBeginsWhenItsSenderIsThere() throws Exception {
        AtomicLong clock = new AtomicLong();
        FakeBroker broker = new FakeBroker();
        OutboxPublisher slowToOpen = new OutboxPublisher() {
            @Override
            public Sender open(String destination) throws PublishException {
                clock.addAndGet(Duration.ofSeconds(10).toNanos());
                return broker.open(destination);
            }

            @Override
            public void probe(String destination) throws PublishException {
                broker.probe(destination);
            }
        };
        List<OutboxMessage> batch = List.of(TestMessages.stored(1, "a", 0), TestMessages.stored(2, "b", 0));

        SendResult sent = new BatchSender(slowToOpen, clock::get, () -> false)
                .send("default", batch, DatabaseClock.at(Instant.now()));

        assertThat(sent.messages()).isEqualTo(batch);
    }

    @Test
    void batchEndsWithItsApplicationAndKeepsWhatItHasSent() throws Exception {
        FakeBroker broker = new FakeBroker();
        AtomicInteger sends = new AtomicInteger();
        broker.onSend = sent -> sends.incrementAndGet();
        List<OutboxMessage> batch = new ArrayList<>();
        IntStream.range(0, 10).forEach(i -> batch.add(TestMessages.stored(i, "key-" + i, 0)));

        SendResult sent = new BatchSender(broker, System::nanoTime, () -> sends.get() >= 2)
                .send("default", batch, DatabaseClock.at(Instant.now()));

        assertThat(sent.messages()).containsExactlyElementsOf(batch.subList(0, 2));
        assertThat(sent.failures()).isEmpty();
    }

    @Test
    void bisectionEndsWithItsApplicationAndChargesNoMessageUnproven() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        List<OutboxMessage> batch = new ArrayList<>();
        IntStream.range(0, 100).forEach(i -> batch.add(TestMessages.stored(i, "key-" + i, 0)));
        BatchBisection bisection = new BatchBisection(
                messages -> {
                    attempts.incrementAndGet();
                    if (messages.size() > 20) {
                        throw new CommitException(new IllegalStateException());
                    }
                    return new SendResult(messages, List.of(), List.of());
                },
                () -> attempts.get() >= 4);

        assertThat(bisection.bisect(batch)).isEmpty();

        assertThat(attempts).hasValue(4);
    }

    /** Else who is found guilty would never be charged, and each run would do all of it again. */
    @Test
    void bisectionGoesOnWhereAMessageIsNotAccepted() throws Exception {
        OutboxMessage poison = TestMessages.stored(1, "a", 0);
        OutboxMessage large = TestMessages.stored(2, "b", 0);
        OutboxMessage good = TestMessages.stored(3, "c", 0);
        List<OutboxMessage> through = new ArrayList<>();
        BatchBisection bisection = new BatchBisection(
                messages -> {
                    if (messages.contains(poison)) {
                        throw new CommitException(new IllegalStateException());
                    }
                    if (messages.equals(List.of(large))) {
                        throw new DestinationFullException(messages, null, FakeBroker.failure(Blame.DESTINATION_FULL));
                    }
                    through.addAll(messages);
                    return new SendResult(messages, List.of(), List.of());
                },
                () -> false);

        List<SendResult.Failure> guilty = bisection.bisect(List.of(large, poison, good));

        assertThat(guilty).extracting(SendResult.Failure::message).containsExactly(poison);
        assertThat(through).contains(good);
    }

    @Test
    void bisectionWithAFullDestinationEndsAfterAFewMessages() {
        AtomicInteger attempts = new AtomicInteger();
        List<OutboxMessage> batch = new ArrayList<>();
        IntStream.range(0, 100).forEach(i -> batch.add(TestMessages.stored(i, "key-" + i, 0)));
        BatchBisection bisection = new BatchBisection(
                messages -> {
                    attempts.incrementAndGet();
                    throw new DestinationFullException(
                            messages.subList(0, 1), null, FakeBroker.failure(Blame.DESTINATION_FULL));
                },
                () -> false);

        assertThatThrownBy(() -> bisection.bisect(batch)).isInstanceOf(DestinationFullException.class);

        assertThat(attempts).hasValueLessThan(9);
    }

    @Test
    void splittingEndsWhenWorkFailsBeforeTheCommit() {
        BatchBisection bisection = new BatchBisection(
                messages -> {
                    throw new IllegalStateException("the database is away");
                },
                () -> false);

        assertThatThrownBy(
                        () -> bisection.bisect(List.of(TestMessages.stored(1, "a", 0), TestMessages.stored(2, "b", 0))))
                .hasMessage("the database is away");
    }
}
