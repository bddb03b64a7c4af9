package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.dispatch.FakeBroker.failure;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.claim.PartitionRange;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.internal.store.sql.StatusCode;
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
 * Guards that a failure is charged to its cause, a message or the destination. With one partition and batches of 500,
 * one run delivers one batch.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class DispatcherFailureTest {
    @AutoClose
    private final DispatchScene scene =
            new DispatchScene("outbox.partitions", "1", "outbox.dispatcher.interval", "PT1H");

    @ParameterizedTest
    @CsvSource({"UNKNOWN, FAILED, 2", "MESSAGE, ABANDONED, 1"})
    void poisonMessageCostsItselfAndTheOther499ArePublished(Blame blame, String status, int attempts) {
        List<String> charged = new ArrayList<>();
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void charged(
                    DestinationId destination, OutboxMessage message, Retry retry, Instant at, Throwable cause) {
                charged.add(message.body().text() + " " + retry.status() + " " + retry.attempts());
            }
        });
        scene.write(numbered(0, 500, 500));
        poison("250", blame);

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).hasSize(499).doesNotContain("250").doesNotHaveDuplicates();
        assertThat(charged).containsExactly("250 " + status + " 1");
        assertThat(scene.column("status", "250")).isEqualTo(status);
        assertThat(scene.column("attempts", "250")).isEqualTo("1");
        assertThat(scene.column("last_error", "250")).isEqualTo("refused by " + blame);
        assertThat(scene.broker.opened)
                .as("one batch was enough, sent a second time where the broker may have the message")
                .hasValue(attempts);
    }

    /** Also what a crash between the sends and the charge leaves. */
    @Test
    void databaseThatRefusesAChargeRefusesNothingThatWasSent() {
        scene.write(numbered(0, 10, 10));
        poison("3", Blame.UNKNOWN);
        scene.database.update("ALTER TABLE shop_queue ADD CONSTRAINT uncharged CHECK (attempts < 1)");
        assertThat(scene.run()).isNotNull();
        assertThat(scene.broker.texts()).hasSize(9);
        assertThat(scene.database.statusesAndAttempts()).containsExactly("PENDING0", "PUBLISHED1");

        scene.database.update("ALTER TABLE shop_queue DROP CONSTRAINT uncharged");
        assertThat(scene.run()).isNull();
        assertThat(scene.broker.texts()).hasSize(9).doesNotHaveDuplicates();
        assertThat(scene.column("status || attempts", "3")).isEqualTo("FAILED1");
    }

    @ParameterizedTest
    @EnumSource(Guarantee.class)
    void sendThatThrowsThoughTheBrokerHasTheMessageMakesNoCopy(Guarantee guarantee) {
        try (DispatchScene late =
                new DispatchScene("outbox.partitions", "1", "outbox.dispatcher.delivery", guarantee.toString())) {
            late.write(numbered(0, 500, 500));
            late.broker.afterSend = failing("250");
            assertThat(late.run()).isNull();
            assertThat(late.broker.texts()).hasSize(499).doesNotContain("250").doesNotHaveDuplicates();
            assertThat(late.column("status || attempts", "250")).isEqualTo("FAILED1");

            late.broker.afterSend = message -> {};
            late.database.makeDue();
            late.run();
            assertThat(late.broker.texts()).hasSize(500).doesNotHaveDuplicates();
        }
    }

    @Test
    void messagesThatFailWhenTheOthersAreSentAgainAreLeftOutToo() {
        scene.write(numbered(0, 10, 10));
        AtomicInteger sends = new AtomicInteger();
        scene.broker.afterSend = message -> {
            // The fourth send of the first pass, and the eighth send of the second one.
            if (Set.of(4, 18).contains(sends.incrementAndGet())) {
                throw failure(Blame.UNKNOWN);
            }
        };

        scene.run();

        assertThat(scene.broker.texts()).containsExactly("0", "1", "2", "4", "5", "6", "7", "9");
        assertThat(scene.column("attempts", "3")).isEqualTo("1");
        assertThat(scene.column("attempts", "8")).isEqualTo("1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "10"})
    void severalThatBreakTheSessionOneAfterTheOtherAreChargedAndTheOthersGoOn(String partitions) {
        try (DispatchScene several =
                new DispatchScene("outbox.partitions", partitions, "outbox.dispatcher.max-partitions", partitions)) {
            several.write(numbered(0, 100, 100));
            Set<String> breaking = Set.copyOf(
                    several.database.query("SELECT m.payload FROM shop_message m JOIN shop_queue q ON q.seq = m.seq"
                            + " WHERE q.queue_id = (SELECT MIN(queue_id) FROM shop_queue)"));
            assertThat(breaking).hasSizeGreaterThan(2);
            breakTheSession(several, breaking);

            assertThat(several.run()).isNull();

            assertThat(several.broker.texts()).hasSize(100 - breaking.size()).doesNotHaveDuplicates();
            several.broker.sends.forEach(
                    (text, sends) -> assertThat(sends).as(text).isLessThanOrEqualTo(breaking.contains(text) ? 1 : 2));
            assertThat(several.database.query(
                            "SELECT DISTINCT status || attempts FROM shop_message_view WHERE published_at IS NULL"))
                    .containsExactly("FAILED1");
        }
    }

    /**
     * A charge would move the failing message to the queue of its blocked key, ahead of the earlier message in the
     * partition.
     */
    @Test
    void messageIsNotChargedWhileOneBeforeItInItsKeyIsLeft() {
        AtomicInteger tries = new AtomicInteger();
        scene.broker.onSend = message -> {
            if (message.body().text().equals("failing")) {
                throw failure(Blame.UNKNOWN);
            }
            if (message.body().text().equals("before") && tries.incrementAndGet() == 2) {
                throw failure(Blame.DESTINATION_FULL);
            }
        };
        scene.write(List.of(message("a", "1"), message("k", "before"), message("k", "failing"), message("b", "2")));

        assertThat(scene.run()).hasRootCauseMessage("refused by DESTINATION_FULL");

        assertThat(scene.broker.texts()).containsExactly("1");
        assertThat(scene.database.statuses()).containsExactly("PUBLISHED", "PENDING", "PENDING", "PENDING");

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).containsExactly("1", "before", "2");
        assertThat(scene.column("status || attempts", "failing")).isEqualTo("FAILED1");
    }

    /** After one of these messages, each send through the same session fails, and so does each probe. */
    private static void breakTheSession(DispatchScene scene, Set<String> breaking) {
        AtomicInteger broken = new AtomicInteger();
        scene.broker.onSend = message -> {
            if (breaking.contains(message.body().text())) {
                broken.set(scene.broker.opened.get());
            }
            if (broken.get() == scene.broker.opened.get()) {
                throw failure(Blame.UNKNOWN);
            }
        };
        scene.broker.onProbe = () -> {
            boolean open = scene.broker.opened.get() > scene.broker.closed.get();
            if (open && broken.get() == scene.broker.opened.get()) {
                throw failure(Blame.DESTINATION);
            }
        };
    }

    /** The claim after the last batch does it again, and reports that it fails. */
    @Test
    void maintenanceThatFailsAfterABatchKeepsNoOtherBatchFromBeingSent() {
        poison("a1", Blame.UNKNOWN);
        scene.write("a", "a1");
        assertThat(scene.run()).isNull();
        scene.write("a", "a2");
        scene.write("b", "b1");
        scene.write("c", "c1");
        scene.database.update("ALTER TABLE shop_queue ADD CONSTRAINT unmoved CHECK (queue_id = %s OR seq <> %s)"
                .formatted(scene.column("queue", "queue_id", "a2"), scene.column("seq", "a2")));

        try (LogLines log = new LogLines(DeliveryCycle.class.getName())) {
            assertThat(scene.run(
                            () -> DispatchScene.config("outbox.partitions", "1", "outbox.dispatcher.batch-size", "1"),
                            () -> false))
                    .hasMessageContaining("maintaining blocked keys");
            assertThat(log.all()).singleElement(STRING).startsWith("OBX-0447: destination 'default'");
        }
        assertThat(scene.broker.texts()).containsExactly("b1", "c1");
    }

    /** Otherwise the thread would count as one that works, for ever. */
    @Test
    void errorOfAListenerBreaksNoDelivery() {
        scene.write("a", "1");
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void began(DestinationId destination) {
                throw new AssertionError("began");
            }

            @Override
            public void ended(DestinationId destination) {
                throw new AssertionError("ended");
            }
        });

        assertThat(scene.run()).isNull();
        assertThat(scene.broker.texts()).containsExactly("1");
        assertThat(scene.run()).isNull();
    }

    /** The container closes before the run ends. */
    @Test
    void applicationThatEndsIsNoFailureOfTheDelivery() {
        AtomicBoolean stopping = new AtomicBoolean();
        AtomicInteger reads = new AtomicInteger();

        assertThat(scene.run(
                        () -> {
                            if (reads.incrementAndGet() == 2) {
                                stopping.set(true);
                                throw new IllegalStateException("the container is closed");
                            }
                            return scene.config;
                        },
                        stopping::get))
                .isNull();

        assertThat(scene.worker.failures()).isZero();
    }

    @Test
    void followersOfAFailedMessageWaitForItsRetry() {
        scene.write(List.of(message("a", "a1"), message("a", "a2"), message("b", "b1"), message("a", "a3")));
        poison("a1", Blame.UNKNOWN);
        scene.run();
        assertThat(scene.broker.texts()).containsExactly("b1");

        scene.broker.onSend = message -> {};
        scene.run();
        assertThat(scene.broker.texts()).as("not due yet").containsExactly("b1");

        scene.database.makeDue();
        scene.run();
        assertThat(scene.broker.texts()).containsExactly("b1", "a1", "a2", "a3");
        assertThat(scene.column("attempts", "a1")).isEqualTo("2");
    }

    @Test
    void failedMessagesWithoutAKeyBlockNoOtherMessages() {
        scene.write(List.of(message(null, "n1"), message(null, "n2")));
        poison("n1", Blame.UNKNOWN);

        scene.run();

        assertThat(scene.broker.texts()).containsExactly("n2");
    }

    @Test
    void deadDestinationChargesNoMessageAndTheNextPollDelivers() {
        scene.write(numbered(0, 10, 3));
        scene.broker.away = "the broker is down";

        assertThat(scene.run()).hasRootCauseMessage("the broker is down");
        assertThat(scene.run()).isNotNull();
        assertThat(scene.worker.failures()).isEqualTo(2);
        assertThat(scene.worker.wake(PartitionRange.ALL))
                .as("it rests until its timer calls")
                .isFalse();
        assertThat(scene.database.statusesAndAttempts()).containsExactly("PENDING0");

        scene.broker.away = null;
        assertThat(scene.run()).isNull();
        assertThat(scene.broker.delivered).hasSize(10);
        assertThat(scene.worker.failures()).isZero();
    }

    /** A node that claims nothing has not sent anything, and so does not know whether the destination is back. */
    @Test
    void nodeThatFindsEverythingTakenByAnotherDoesNotTakeTheOutageForOver() throws SQLException {
        scene.write("a", "1");
        scene.broker.away = "the broker is away";
        assertThat(scene.run()).isNotNull();
        try (Connection other = scene.database.dataSource().getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.executeQuery("SELECT id FROM shop_partition FOR UPDATE").close();

            assertThat(scene.run()).isNotNull();
            assertThat(scene.worker.failures()).isEqualTo(2);

            scene.broker.away = null;
            assertThat(scene.run()).isNull();
            assertThat(scene.worker.failures()).isZero();
            other.rollback();
        }
    }

    @Test
    void destinationThatFailsInTheMiddleOfABatchChargesNoMessageAndNothingGoesOut() {
        scene.write(numbered(0, 10, 10));
        poison("5", Blame.DESTINATION);

        assertThat(scene.run()).hasRootCauseMessage("refused by DESTINATION");

        assertThat(scene.broker.delivered).isEmpty();
        assertThat(scene.broker.closed).hasValue(1);
        assertThat(scene.database.statusesAndAttempts()).containsExactly("PENDING0");
    }

    @Test
    void unknownFailureWhileTheDestinationDoesNotAnswerChargesNoMessage() {
        scene.run();
        scene.write(numbered(0, 3, 3));
        scene.broker.onSend = message -> {
            throw failure(Blame.UNKNOWN);
        };
        scene.broker.probeRefused = "the broker is away";

        for (int run = 0; run < 5; run++) {
            assertThat(scene.run()).isNotNull();
        }

        assertThat(scene.database.statusesAndAttempts()).containsExactly("PENDING0");
        assertThat(scene.broker.sends).as("one send for the outage").isEqualTo(Map.of("0", 1));
    }

    @Test
    void unknownFailureWhileTheDestinationAnswersIsTheMessagesThoughNoOtherGetsThrough() {
        scene.write(numbered(0, 3, 3));
        scene.broker.onSend = message -> {
            throw failure(Blame.UNKNOWN);
        };

        assertThat(scene.run()).isNull();

        assertThat(scene.database.statusesAndAttempts()).containsExactly("FAILED1");
        assertThat(scene.broker.sends).isEqualTo(Map.of("0", 1, "1", 1, "2", 1));
    }

    /** Otherwise a message that fails just before each of many outages would be tried for ever. */
    @Test
    void messageThatWasAtFaultIsChargedThoughTheDestinationFailsThen() {
        scene.write(List.of(message("a", "before"), message("b", "poison"), message("c", "unlucky")));
        scene.broker.onSend = message -> {
            if (!message.body().text().equals("before")) {
                throw failure(message.body().text().equals("poison") ? Blame.UNKNOWN : Blame.DESTINATION);
            }
        };

        assertThat(scene.run()).hasRootCauseMessage("refused by DESTINATION");

        assertThat(scene.database.statuses()).containsExactly("PENDING", "FAILED", "PENDING");
        assertThat(scene.broker.delivered).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"skip, PUBLISHED", "block, PENDING"})
    void followersOfAnAbandonedMessageGoOnOrWaitAsConfigured(String onAbandon, String follower) {
        try (DispatchScene configured = new DispatchScene(
                "outbox.partitions", "1", "outbox.retry.max-attempts", "2", "outbox.retry.on-abandon", onAbandon)) {
            configured.write(List.of(message("a", "poison"), message("a", "follower"), message("b", "other1")));
            configured.broker.onSend = message -> {
                if (message.body().text().equals("poison")) {
                    throw failure(Blame.UNKNOWN);
                }
            };
            configured.run();
            assertThat(configured.column("status", "poison")).isEqualTo("FAILED");

            configured.database.makeDue();
            configured.write("b", "other2");
            configured.run();
            configured.run();

            assertThat(configured.column("status || attempts", "poison")).isEqualTo("ABANDONED2");
            assertThat(configured.column("status", "follower")).isEqualTo(follower);
            assertThat(configured.column("status", "other2")).isEqualTo("PUBLISHED");
        }
    }

    @Test
    void rowThatCannotBeReadIsAbandonedAndTheOthersGoOn() {
        scene.write(List.of(message("a", "garbage"), message("a", "a2"), message("b", "b1")));
        scene.database.update("UPDATE shop_message SET message_id = 'no uuid' WHERE payload = 'garbage'");

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).containsExactly("b1", "a2");
        assertThat(scene.column("status", "garbage")).isEqualTo("ABANDONED");
        assertThat(scene.column("last_error", "garbage")).contains("no uuid");
    }

    /** The nesting is deeper than a parser can read; parsers have no exception of their own for this. */
    @Test
    void rowWhoseHeadersNoParserReadsIsAbandonedAndTheOthersGoOn() {
        scene.write(List.of(message("a", "garbage"), message("b", "b1")));
        scene.database.update(
                "UPDATE shop_message SET headers = ? WHERE payload = 'garbage'", "{\"a\":" + "[".repeat(20_000));

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).containsExactly("b1");
        assertThat(scene.column("status", "garbage")).isEqualTo("ABANDONED");
    }

    /** Otherwise its charge fails with each claim, and nothing is sent from the partitions beside it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "DELETE FROM shop_message WHERE payload = 'tried'",
                "UPDATE shop_message SET headers = 'no JSON' WHERE payload = 'tried'"
            })
    void rowThatBecomesUnreadableAfterAnAttemptIsAbandonedAndTheOthersAreSent(String damage) {
        scene.broker.onSend = failing("tried");
        scene.write(List.of(message("a", "tried"), message("b", "first")));
        scene.run();
        scene.database.update(damage);
        scene.database.makeDue();
        scene.write("b", "b1");

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).containsExactly("first", "b1");
        assertThat(scene.database.query("SELECT CONCAT(status, ' ', attempts) FROM shop_queue"))
                .containsExactly(StatusCode.of(OutboxStatus.ABANDONED) + " 2");
    }

    /**
     * With on-abandon=block too: otherwise the row would stay for ever, and an operator would look for the key that it
     * blocks.
     */
    @Test
    void unreadableRowWithoutAKeyBlocksNoOtherAndDoesNotStay() {
        try (DispatchScene blocking = new DispatchScene("outbox.partitions", "1", "outbox.retry.on-abandon", "block")) {
            blocking.write(List.of(message(null, "garbage"), message("a", "a1"), message("b", "unread")));
            blocking.database.update("UPDATE shop_message SET headers = 'no JSON' WHERE payload <> 'a1'");

            assertThat(blocking.run()).isNull();

            assertThat(blocking.broker.texts()).containsExactly("a1");
            assertThat(blocking.column("queue", "SIGN(queue_id)", "garbage")).isEqualTo("-1");
            assertThat(blocking.column("queue", "SIGN(queue_id)", "unread"))
                    .as("its key is blocked")
                    .isEqualTo("1");
        }
    }

    /** The columns that a claim reads beside the message, and one that the charge reads again. */
    @ParameterizedTest
    @ValueSource(strings = {"queue.unfinished_sends", "queue.attempts", "message.payload_bytes"})
    void damagedColumnCostsItsRowOnly(String column) {
        scene.write(List.of(message("a", "garbage"), message("b", "b1")));
        long garbage = scene.database.sequence("garbage");
        scene.database.damage(column, garbage);

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).containsExactly("b1");
        assertThat(scene.column("status", "garbage")).isEqualTo("ABANDONED");
    }

    /** Otherwise a row for which the read of the queues fails stops all partitions of its destination. */
    @Test
    void rowThatFailsTheReadKeepsNoPartitionOfOtherClaimsFromBeingSent() {
        try (DispatchScene many = new DispatchScene()) {
            many.write(numbered(0, 200, 200));
            many.database.updateQueue(
                    "status = " + StatusCode.FAILED, "queue_id = (SELECT MIN(queue_id) FROM shop_queue)");
            many.database.damage(
                    "queue.available_at",
                    Long.parseLong(many.database
                            .query("SELECT MIN(seq) FROM shop_queue WHERE status = " + StatusCode.FAILED)
                            .get(0)));

            assertThat(many.run()).hasStackTraceContaining("damaged");
            assertThat(many.broker.texts()).isEmpty();

            many.run();
            assertThat(many.broker.texts()).isNotEmpty();
        }
    }

    private static FakeBroker.Hook failing(String text) {
        return message -> {
            if (message.body().text().equals(text)) {
                throw failure(Blame.UNKNOWN);
            }
        };
    }

    private void poison(String text, Blame blame) {
        scene.broker.onSend = message -> {
            if (message.body().text().equals(text)) {
                throw failure(blame);
            }
        };
    }
}
