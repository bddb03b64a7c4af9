package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.dispatch.FakeBroker.failure;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.dispatch.FakeTransactions.Unreachable;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Guards that a message is given up only if its destination is known to work. The broker answers each probe and refuses messages
 * without a reason.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class FailingDestinationTest {
    private static final int MAX_ATTEMPTS = 3;

    @AutoClose
    private final DispatchScene scene = scene();

    private static DispatchScene scene(String... more) {
        List<String> all = new ArrayList<>(
                List.of("outbox.partitions", "1", "outbox.retry.max-attempts", String.valueOf(MAX_ATTEMPTS)));
        all.addAll(List.of(more));
        return new DispatchScene(all.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void faultOfTheDestinationAbandonsNoMessageHoweverLongItLasts(String maxAttempts) {
        try (DispatchScene broken = scene("outbox.retry.max-attempts", maxAttempts)) {
            broken.write(numbered(0, 20, 4));
            broken.write(List.of(message(null, "n1"), message(null, "n2")));
            refuse(broken, any -> true);

            attempts(broken, 10);

            assertThat(broken.database.query("SELECT status FROM shop_message_view WHERE status = 'ABANDONED'"))
                    .isEmpty();
            assertThat(broken.column("status || attempts", "0"))
                    .isEqualTo("FAILED" + (maxAttempts.equals("1") ? 0 : 2));

            broken.broker.onSend = message -> {};
            attempts(broken, 1);
            assertThat(broken.broker.texts()).hasSize(22).doesNotHaveDuplicates();
            for (int key = 0; key < 4; key++) {
                assertThat(broken.broker.texts())
                        .containsSubsequence(String.valueOf(key), String.valueOf(key + 4), String.valueOf(key + 16));
            }
        }
    }

    @Test
    void heldMessageWaitsForTheLongestDelayAndTheOthersGoOn() {
        refuse(scene, "poison"::equals);
        scene.write("a", "poison");
        List<Retry> retries = new ArrayList<>();
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void charged(
                    DestinationId destination, OutboxMessage message, Retry retry, Instant at, Throwable cause) {
                retries.add(retry);
            }
        });
        attempts(scene, MAX_ATTEMPTS);

        Retry last = retries.get(MAX_ATTEMPTS - 1);
        assertThat(last.isHeld()).isTrue();
        assertThat(last.delay()).isBetween(maxDelay(0.75), maxDelay(1.25));
        scene.write(List.of(message("b", "b1"), message(null, "n1")));
        assertThat(scene.run()).isNull();
        assertThat(scene.broker.texts()).containsExactly("b1", "n1");
        assertThat(scene.column("status || attempts", "poison")).isEqualTo("FAILED2");
    }

    /** It still has attempts, and its delivery would prove that the destination works. */
    @Test
    void backoffOfAFollowerThatFailsBehindAHeldMessageReplacesTheLongestDelay() {
        try (DispatchScene patient = scene("outbox.retry.max-delay", "PT24H", "outbox.retry.base-delay", "PT0.1S")) {
            refuse(patient, any -> true);
            patient.write(List.of(message("a", "poison"), message("a", "follower")));
            attempts(patient, MAX_ATTEMPTS);

            assertThat(patient.column("status || attempts", "poison")).isEqualTo("FAILED2");
            assertThat(patient.column("status || attempts", "follower")).isEqualTo("FAILED1");

            patient.broker.onSend = message -> {};
            await().until(() -> {
                patient.run();
                return patient.broker.texts().equals(List.of("poison", "follower"));
            });
        }
    }

    private Duration maxDelay(double factor) {
        return Duration.ofMillis((long) (scene.config.retry().maxDelay().toMillis() * factor));
    }

    @ParameterizedTest
    @CsvSource({"a", ","})
    void deliverySinceTheLastFailureIsTheProof(String key) {
        scene.write(List.of(message(key, "poison")));
        refuse(scene, "poison"::equals);
        attempts(scene, MAX_ATTEMPTS + 2);
        assertThat(scene.column("status || attempts", "poison")).isEqualTo("FAILED2");

        scene.write("b", "proof");
        scene.run();
        attempts(scene, 1);

        assertThat(scene.column("status || attempts", "poison")).isEqualTo("ABANDONED3");
    }

    /** The node that has seen the delivery may have stopped, and another one may have had the last attempt. */
    @Test
    void deliveryBeforeTheLastFailureOrByAnotherNodeIsNoProof() {
        scene.write(List.of(message("a", "poison"), message("b", "before")));
        refuse(scene, "poison"::equals);
        attempts(scene, MAX_ATTEMPTS);
        assertThat(scene.column("status || attempts", "poison")).isEqualTo("FAILED2");

        scene.write("b", "elsewhere");
        assertThat(DispatchScene.workerOf(scene.dispatcher("node-2")).poll()).isNull();
        attempts(scene, 1);

        assertThat(scene.broker.texts()).containsExactly("before", "elsewhere");
        assertThat(scene.column("status || attempts", "poison")).isEqualTo("FAILED2");
    }

    @ParameterizedTest
    @EnumSource(Guarantee.class)
    void destinationWithOneKeyDoesNotStandForEver(Guarantee guarantee) {
        try (DispatchScene one = scene("outbox.dispatcher.delivery", guarantee.toString())) {
            one.write(numbered(0, 10, 1));
            refuse(one, Set.of("0", "1", "4")::contains);

            attempts(one, 3 * MAX_ATTEMPTS);

            assertThat(one.broker.texts()).containsExactly("2", "3", "5", "6", "7", "8", "9");
            assertThat(
                            one.database.query(
                                    "SELECT payload || attempts FROM shop_message_view WHERE status = 'ABANDONED' ORDER BY seq"))
                    .containsExactly("03", "13", "43");
        }
    }

    @ParameterizedTest
    @CsvSource({"outbox.dispatcher.batch-size, 1", "outbox.dispatcher.batch-max-bytes, 1"})
    void nextFollowerIsTriedEvenIfItExceedsTheBatch(String limit, String value) {
        try (DispatchScene narrow = scene(limit, value)) {
            narrow.write(numbered(0, 8, 2));
            refuse(narrow, Set.of("0", "1", "2")::contains);

            attempts(narrow, 4 * MAX_ATTEMPTS);

            assertThat(narrow.broker.texts()).containsExactlyInAnyOrder("3", "4", "5", "6", "7");
            assertThat(narrow.database.query("SELECT payload FROM shop_message_view WHERE status = 'ABANDONED'"))
                    .containsExactlyInAnyOrder("0", "1", "2");
        }
    }

    /** With one attempt, a message that was never sent has no attempt left either. */
    @Test
    void followersThatWereNeverSentDoNotEnlargeABatch() {
        try (DispatchScene narrow = scene("outbox.retry.max-attempts", "1", "outbox.dispatcher.batch-size", "1")) {
            narrow.write(numbered(0, 8, 1));
            refuse(narrow, any -> true);

            attempts(narrow, 3);

            assertThat(narrow.broker.sends).containsKeys("0", "1").doesNotContainKeys("4", "5", "6", "7");
        }
    }

    /** The case for which decision 9 does not infer the fault from other messages. */
    @Test
    void hundredAndOneHeldKeysKeepNoHealthyOneWaiting() {
        scene.write(numbered(0, 202, 101));
        refuse(scene, text -> Integer.parseInt(text) < 202);
        attempts(scene, MAX_ATTEMPTS);
        Map<String, Integer> before = Map.copyOf(scene.broker.sends);

        scene.write(IntStream.range(1000, 1100)
                .mapToObj(i -> message("healthy-" + i, String.valueOf(i)))
                .toList());
        scene.database.makeDue();
        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).hasSize(100).doesNotHaveDuplicates();
        scene.broker.sends.forEach((text, sends) ->
                assertThat(sends - before.getOrDefault(text, 0)).as(text).isLessThanOrEqualTo(2));
        assertThat(scene.database.query("SELECT DISTINCT status FROM shop_message_view WHERE seq <= 101"))
                .containsExactly("ABANDONED");
    }

    @Test
    void messageIsSkippedOnlyInTheTransactionThatDeliversItsFollower() {
        scene.write(List.of(message("a", "poison"), message("a", "a2"), message("a", "a3")));
        refuse(scene, "poison"::equals);
        attempts(scene, MAX_ATTEMPTS - 1);
        scene.broker.afterSend = message ->
                scene.transactions.failingCommits.set(message.body().text().equals("a2") ? 1 : 0);

        attempts(scene, 1);
        assertThat(scene.broker.texts()).isEmpty();
        assertThat(scene.column("status || attempts", "poison")).isEqualTo("FAILED2");

        scene.broker.afterSend = message -> {};
        attempts(scene, 1);
        assertThat(scene.broker.texts()).containsExactly("a2", "a3");
        assertThat(scene.column("status || attempts", "poison")).isEqualTo("ABANDONED3");
    }

    /** Its row is locked, and perhaps abandoned already: a charge would wait, or fail the run. */
    @Test
    void messageIsNotChargedWhileTheCommitThatSkipsItIsInDoubt() throws SQLException {
        scene.write(List.of(message("a", "poison"), message("a", "a2"), message("b", "b1")));
        refuse(scene, text -> !text.equals("a2"));
        attempts(scene, MAX_ATTEMPTS - 1);
        scene.broker.afterSend = message -> scene.transactions.unreachable = Unreachable.DATABASE_WAITS;

        scene.database.makeDue();
        assertThat(scene.run()).isNull();
        scene.transactions.end();

        assertThat(scene.broker.texts()).containsExactly("a2");
        assertThat(scene.column("status || attempts", "poison")).isEqualTo("ABANDONED3");
        assertThat(scene.column("status || attempts", "b1")).isEqualTo("FAILED2");
    }

    @ParameterizedTest
    @EnumSource(Unreachable.class)
    void skipInDoubtIsTold(Unreachable unreachable) throws SQLException {
        scene.write(List.of(message("a", "poison"), message("a", "a2")));
        refuse(scene, "poison"::equals);
        attempts(scene, MAX_ATTEMPTS - 1);
        scene.broker.afterSend = message -> scene.transactions.unreachable = unreachable;

        List<OutboxStatus> charged = new ArrayList<>();
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void charged(
                    DestinationId destination, OutboxMessage message, Retry retry, Instant at, Throwable cause) {
                charged.add(retry.status());
            }
        });

        try (LogLines logged = new LogLines("dev.cdioutbox")) {
            attempts(scene, 1);

            boolean isKnown = unreachable == Unreachable.DATABASE_GOES_ON;
            assertThat(charged).isEqualTo(isKnown ? List.of(OutboxStatus.ABANDONED) : List.of());
            assertThat(logged.all())
                    .filteredOn(line -> line.startsWith("OBX-0452"))
                    .hasSize(isKnown ? 0 : 1);
        }
        scene.transactions.end();
        assertThat(scene.column("status || attempts", "poison")).isEqualTo("ABANDONED3");
    }

    @Test
    void abandonedMessageThatBlocksItsKeyNeedsNoProof() {
        try (DispatchScene blocking = scene("outbox.retry.on-abandon", "block")) {
            blocking.write(List.of(message("a", "keyed"), message("a", "follower"), message(null, "keyless")));
            refuse(blocking, any -> true);

            attempts(blocking, MAX_ATTEMPTS);

            assertThat(blocking.column("status || attempts", "keyed")).isEqualTo("ABANDONED3");
            assertThat(blocking.column("status || attempts", "follower")).isEqualTo("PENDING0");
            assertThat(blocking.column("status || attempts", "keyless"))
                    .as("it would be skipped")
                    .isEqualTo("FAILED2");
        }
    }

    private static void attempts(DispatchScene scene, int times) {
        for (int attempt = 0; attempt < times; attempt++) {
            scene.database.makeDue();
            scene.run();
        }
    }

    private static void refuse(DispatchScene scene, Predicate<String> which) {
        scene.broker.onSend = message -> {
            if (which.test(message.body().text())) {
                throw failure(Blame.UNKNOWN);
            }
        };
    }
}
