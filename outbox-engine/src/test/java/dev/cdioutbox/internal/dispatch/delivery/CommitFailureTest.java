package dev.cdioutbox.internal.dispatch.delivery;

import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.dispatch.DispatchScene;
import dev.cdioutbox.internal.dispatch.FakeBroker;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that a batch that fails is charged to the message at fault, and in an outage to no message. */
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
    void commitsThatAllFailChargeNoMessageAndCostOneProbeForEachRun() {
        scene.run();
        scene.write(numbered(0, 500, 100));
        scene.transactions.failingCommits.set(Integer.MAX_VALUE);
        assertThat(scene.run()).hasRootCauseMessage("the commit failed");
        assertThat(scene.transactions.failedCommits)
                .as("the batch, and the probe")
                .hasValue(2);
        for (int run = 0; run < 20; run++) {
            assertThat(scene.run()).hasRootCauseMessage("the commit failed");
        }
        assertThat(scene.transactions.failedCommits).hasValue(2 + 20);
        assertThat(scene.database.statusesAndAttempts()).containsExactly("PENDING0");

        scene.transactions.failingCommits.set(0);
        assertThat(scene.run()).isNull();
        assertThat(scene.broker.texts()).hasSize(500).doesNotHaveDuplicates();
        assertThat(scene.broker.sends.values()).as("once for the outage").containsOnly(2);
        for (int key = 0; key < 100; key++) {
            int residue = key;
            assertThat(scene.broker.texts().stream().map(Integer::valueOf).filter(n -> n % 100 == residue))
                    .isSorted();
        }
    }

    @Test
    void messageIsSentOnceForEachHalvingOfItsBatch() {
        scene.write(numbered(0, 500, 500));
        scene.broker.refusedAtCommit.add("250");
        try (LogLines logged = new LogLines(BatchRecovery.class.getName())) {
            assertThat(scene.run()).isNull();

            assertThat(logged.all()).singleElement(STRING).startsWith("OBX-0411: destination 'default': ");
        }
        assertThat(scene.broker.sends.values())
                .as("once for each size of its part, and twice more alone")
                .allMatch(sends -> sends <= 12);
        assertThat(scene.broker.sends.values().stream()
                        .mapToInt(Integer::intValue)
                        .sum())
                .as("the batch, its halves, and the halves of one half each time")
                .isLessThan(1550);
    }

    /** With SERIALIZABLE, a database refuses the commit of transactions that run at the same time. */
    @Test
    void messageWhoseCommitIsRefusedAtRandomIsNotCharged() {
        scene.run();
        scene.write("a", "unlucky");
        scene.broker.refusedAtCommit.add("unlucky");
        scene.transactions.afterFailure = () -> {
            if (scene.transactions.failedCommits.get() == 2) {
                scene.broker.refusedAtCommit.clear();
            }
        };

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).containsExactly("unlucky");
        assertThat(scene.column("status || attempts", "unlucky")).isEqualTo("PUBLISHED1");
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

    @Test
    void batchThatTimesOutIsDeliveredInHalvesAndTheLogNamesTheTimeOut() {
        scene.write(numbered(0, 8, 2));
        scene.transactions.timesOutAbove = 3;
        try (LogLines logged = new LogLines(BatchRecovery.class.getName())) {
            assertThat(scene.run()).isNull();

            assertThat(logged.all())
                    .singleElement(STRING)
                    .startsWith("OBX-0411: destination 'default': a batch of 8 message(s)")
                    .contains("OBX-0424", "time-out of 5 s");
        }
        assertThat(scene.broker.texts()).containsExactly("0", "1", "2", "3", "4", "5", "6", "7");
        assertThat(scene.database.statusesAndAttempts()).containsExactly("PUBLISHED1");
    }

    /**
     * With at-least-once, the transaction of the sends has no branch in the database. An operator's change meanwhile
     * says nothing about its commit.
     */
    @Test
    void discardDuringTheSendsDoesNotHideAMessageThatIsRefusedAtTheCommit() {
        scene.write(numbered(0, 2, 2));
        scene.broker.refusedAtCommit.add("0");
        scene.broker.afterSend = message -> scene.database.settle(OutboxStatus.DISCARDED, "payload = '1'");

        try (LogLines logged = new LogLines(BatchRecovery.class.getPackageName())) {
            scene.run(() -> DispatchScene.config("outbox.dispatcher.delivery", "at-least-once"), () -> false);

            assertThat(logged.all()).noneMatch(line -> line.startsWith("OBX-0422"));
        }
        assertThat(scene.column("status || attempts", "0")).isEqualTo("FAILED1");
    }

    /** The broker has the messages already, so no smaller batch would help. */
    @Test
    void settlementThatTimesOutFailsTheRunAndChargesNoMessage() {
        scene.write(numbered(0, 8, 2));
        scene.transactions.settlesAtMost = 3;

        assertThat(scene.run(() -> DispatchScene.config("outbox.dispatcher.delivery", "at-least-once"), () -> false))
                .hasStackTraceContaining("OBX-0424");

        assertThat(scene.broker.texts()).hasSize(8);
        assertThat(scene.database.statusesAndAttempts()).containsExactly("PENDING0");
    }

    @ParameterizedTest
    @CsvSource({"during the sends, 0, 500", "at the commit, 500, 0"})
    void timeOutOfOneMessageIsChargedToNoMessage(String when, int sends, int settlements) {
        scene.run();
        scene.write(numbered(0, 2, 2));
        scene.transactions.timesOutAbove = sends;
        scene.transactions.settlesAtMost = settlements;

        assertThat(FailureReason.of(scene.run())).contains("OBX-0424", "time-out of 5 s");

        assertThat(scene.broker.probes).as("only before the first claim").hasValue(1);
        assertThat(scene.database.statusesAndAttempts()).containsExactly("PENDING0");
    }

    /** The messages that are refused in the first ten seconds are charged; then the delivery fails. */
    @Test
    void destinationThatFailsOtherMessagesEachTimeIsToBlameWhenTheTimeIsOver() throws Exception {
        scene.write(numbered(0, 100, 100));
        AtomicLong clock = new AtomicLong();
        AtomicInteger sends = new AtomicInteger();
        scene.broker.afterSend = message -> {
            clock.addAndGet(Duration.ofMillis(40).toNanos());
            if (sends.incrementAndGet() % 7 == 0) {
                throw FakeBroker.failure(Blame.UNKNOWN);
            }
        };

        assertThatThrownBy(() -> deliver(clock::get)).hasMessage("refused by UNKNOWN");

        assertThat(sends.get()).as("ten seconds, and the end of an attempt").isLessThan(250 + 100);
        assertThat(scene.broker.delivered).isEmpty();
        assertThat(scene.database.statusesAndAttempts()).containsExactly("FAILED1", "PENDING0");
    }

    /** The end of an attempt's time must not leave the batch as it is: each further claim would end in the same way. */
    @Test
    void slowBatchThatIsRefusedAtTheCommitGetsOnWithEachClaim() throws Exception {
        scene.write(numbered(0, 64, 64));
        scene.broker.refusedAtCommit.add("0");
        AtomicLong clock = new AtomicLong();
        scene.broker.onSend = message -> clock.addAndGet(Duration.ofMillis(500).toNanos());

        deliver(clock::get);
        assertThat(clock.get())
                .as("the partitions wait")
                .isLessThan(Duration.ofSeconds(11).toNanos());
        deliver(clock::get);

        assertThat(scene.column("status || attempts", "0")).isEqualTo("FAILED1");
        assertThat(scene.broker.delivered).isNotEmpty();
    }

    @Test
    void bisectionEndsWithItsApplicationAndChargesNoMessageUnproven() {
        scene.run();
        scene.write(numbered(0, 100, 100));
        scene.broker.refusedAtCommit.add("99");
        AtomicBoolean stopped = new AtomicBoolean();
        scene.transactions.betweenCommits = () -> {
            stopped.set(true);
            scene.dispatcher.deleteNodeRow();
        };

        scene.run(() -> scene.config, stopped::get);

        assertThat(scene.transactions.failedCommits).hasValue(1);
        assertThat(scene.broker.texts()).as("what was begun is committed").containsExactly("0");
        assertThat(scene.database.query("SELECT MAX(attempts) FROM shop_message_view WHERE status <> 'PUBLISHED'"))
                .containsExactly("0");
    }

    @Test
    void bisectionEndsWhereTheDestinationFails() {
        scene.run();
        scene.write(numbered(0, 4, 4));
        scene.broker.refusedAtCommit.add("3");
        scene.broker.onSend = message -> {
            if (message.body().text().equals("2") && scene.transactions.failedCommits.get() > 0) {
                throw FakeBroker.failure(Blame.DESTINATION);
            }
        };

        assertThat(scene.run()).hasRootCauseMessage("refused by DESTINATION");

        assertThat(scene.broker.texts()).containsExactly("0", "1");
        assertThat(scene.database.statuses()).containsExactly("PUBLISHED", "PUBLISHED", "PENDING", "PENDING");
    }

    private void deliver(LongSupplier nanos) throws Exception {
        try (Claim claim = TestMessages.claim(
                scene.store,
                scene.store.claims().rowLocks(TestMessages.DESTINATION),
                0,
                ClaimLimits.of(scene.config, 1, 1),
                scene.store.pendingRows()::lockable)) {
            Environment environment = scene.environment(nanos, List.of());
            TestDelivery.of(scene.store, scene.broker, environment, scene.config, claim)
                    .deliver();
        }
    }
}
