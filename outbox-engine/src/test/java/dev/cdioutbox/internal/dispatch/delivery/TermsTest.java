package dev.cdioutbox.internal.dispatch.delivery;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.dispatch.DispatchScene;
import dev.cdioutbox.internal.dispatch.FakeBroker;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Guards the terms of a message: not before its time, not after its time to live, and with its priority. */
class TermsTest {
    private final DispatchScene scene = new DispatchScene();

    @AfterEach
    void close() {
        scene.close();
    }

    @Test
    void delayedMessageWaitsForItsTimeAndBlocksNoOtherMessage() {
        scene.write(List.of(with(delay(Duration.ofHours(1)), "a", "later"), message("a", "now")));

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).containsExactly("now");
        assertThat(scene.column("status", "later")).isEqualTo("PENDING");
    }

    @Test
    void moreDelayedMessagesThanAreMovedAtOnceAllArriveInOneRun() {
        List<NewMessage> many = IntStream.range(0, 2500)
                .mapToObj(i -> with(delay(Duration.ofSeconds(-1)), "key-" + i % 7, "text-" + i))
                .toList();
        scene.write(many);

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).hasSize(2500).doesNotHaveDuplicates();
    }

    @Test
    void delayedMessageThatFailsDoesNotHoldItsKey() {
        scene.broker.onSend = sent -> {
            if (sent.body().text().equals("delayed")) {
                throw FakeBroker.failure(Blame.UNKNOWN);
            }
        };
        scene.write(List.of(with(delay(Duration.ofSeconds(-1)), "a", "delayed"), message("a", "in its batch")));
        scene.store.delayed().release(DESTINATION);

        scene.run();
        scene.write("a", "after it");
        scene.run();

        assertThat(scene.broker.texts()).containsExactly("in its batch", "after it");
        assertThat(scene.column("status", "delayed")).isEqualTo("FAILED");
    }

    @Test
    void messageWhoseTimeIsOverIsNotSentAndThoseBehindItAre() {
        scene.write(List.of(with(lives(Duration.ofMillis(-1)), "a", "stale"), message("a", "fresh")));

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).containsExactly("fresh");
        assertThat(scene.column("status", "stale")).isEqualTo("EXPIRED");
        assertThat(scene.database.query("SELECT seq FROM shop_queue")).isEmpty();
    }

    @Test
    void publisherGetsThePriorityAndTheRemainingTimeToLive() {
        scene.write(List.of(with(new Terms(null, Duration.ofHours(1), 9), "a", "urgent"), message("a", "usual")));

        assertThat(scene.run()).isNull();

        OutboxMessage urgent = scene.broker.delivered.get(0);
        assertThat(urgent.terms().priority()).isEqualTo(9);
        assertThat(urgent.terms().timeLeft()).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
        assertThat(scene.broker.delivered.get(1).terms()).isEqualTo(StoredMessage.Terms.NONE);
    }

    /** Each claim takes one of two partitions, and finds nothing to send in the first. */
    @Test
    void delayedMessagesThatCannotBeReleasedStarveNoPartition() throws SQLException {
        try (DispatchScene two = new DispatchScene("outbox.partitions", "2", "outbox.dispatcher.max-partitions", "1")) {
            two.write(List.of(
                    with(delay(Duration.ofSeconds(-1)), "a", "stuck"),
                    message(key(0), "held"),
                    message(key(1), "now")));
            two.database.update(
                    "ALTER TABLE shop_queue ADD CONSTRAINT no_move CHECK (available_at IS NOT NULL OR seq <> "
                            + two.database.sequence("stuck") + ")");
            String update = "UPDATE shop_queue SET attempts = 1 WHERE seq = " + two.database.sequence("held");
            two.database.whileInDoubt(update, () -> {
                two.run();
                two.run();

                assertThat(two.broker.texts()).containsExactly("now");
            });
        }
    }

    private static String key(int partition) {
        return IntStream.range(0, 100)
                .mapToObj(String::valueOf)
                .filter(key -> PartitionIds.ofKey(key, 2) == partition)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void delayedMessagesThatCannotBeReleasedBlockNoOthersAndTheRunReportsIt() {
        scene.write(List.of(with(delay(Duration.ofSeconds(-1)), "a", "stuck"), message("c", "now")));
        scene.database.update("ALTER TABLE shop_queue ADD CONSTRAINT no_move CHECK (available_at IS NOT NULL OR seq <> "
                + scene.database.sequence("stuck") + ")");

        try (LogLines log = new LogLines("dev.cdioutbox.internal.dispatch.DeliveryCycle")) {
            assertThat(scene.run()).hasMessageContaining("moving delayed messages");
            assertThat(log.all()).singleElement(STRING).startsWith("OBX-0447");
        }

        assertThat(scene.broker.texts()).containsExactly("now");
    }

    private static Terms delay(Duration fromNow) {
        return new Terms(Instant.now().plus(fromNow), null, null);
    }

    private static Terms lives(Duration timeToLive) {
        return new Terms(null, timeToLive, null);
    }

    private static NewMessage with(Terms terms, String key, String text) {
        NewMessage plain = message(key, text);
        return new NewMessage(
                UUID.randomUUID(),
                plain.event(),
                plain.body(),
                plain.context(),
                terms,
                plain.destination(),
                plain.occurredAt());
    }
}
