package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.dispatch.FakeBroker.failure;
import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.internal.store.settle.UnsentSettlement;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A message that is given up goes to the dead-letter destination, in the transaction that gives it up. */
class DeadLetterTest {

    @AutoClose
    private final DispatchScene scene = new DispatchScene(
            "outbox.destinations.dead.jndi", "jms/dead", "outbox.destinations.default.dead-letter", "dead");

    @Test
    void abandonedMessageGoesThereWithReasonAttemptsAndTimes() {
        scene.broker.onSend = message -> {
            throw failure(Blame.MESSAGE);
        };
        scene.write("a", "poison");

        scene.run();

        assertThat(scene.column("status", "poison")).isEqualTo("ABANDONED");
        OutboxMessage original = messages("default").get(0);
        assertThat(messages("dead")).singleElement().satisfies(letter -> {
            assertThat(letter.id()).isNotEqualTo(original.id());
            assertThat(letter.event()).isEqualTo(original.event());
            assertThat(letter.body()).isEqualTo(original.body());
            assertThat(letter.context().causationId()).isEqualTo(original.id().toString());
            assertThat(original.context().correlationId()).isNull();
            assertThat(letter.context().correlationId())
                    .as("what a consumer of the original has got")
                    .isEqualTo(original.id().toString());
            assertThat(letter.context().headers())
                    .containsEntry("deadLetterReason", original.delivery().lastError())
                    .containsEntry("deadLetterAttempts", "1")
                    .containsEntry("deadLetterDestination", "default")
                    .containsEntry("deadLetterCreatedAt", original.createdAt().toString())
                    .containsKey("deadLetterAt");
        });
    }

    @Test
    void messageThatIsSkippedTogetherWithItsFollowerGoesThereToo() {
        configure("outbox.retry.max-attempts", "1");
        scene.broker.onSend = message -> {
            if (message.body().text().equals("poison")) {
                throw failure(Blame.UNKNOWN);
            }
        };
        scene.write("a", "poison");
        scene.write("a", "follower");

        scene.run();

        assertThat(scene.broker.texts()).containsExactly("follower");
        assertThat(messages("dead"))
                .singleElement()
                .satisfies(letter -> assertThat(letter.context().headers()).containsEntry("deadLetterAttempts", "1"));
    }

    @Test
    void expiredMessageGoesThereToo() {
        NewMessage.Terms over = new NewMessage.Terms(Instant.now().minusSeconds(60), Duration.ZERO, 7);
        scene.write(List.of(TestMessages.terms(TestMessages.message("a", "late"), over)));

        scene.run();

        assertThat(scene.column("status", "late")).isEqualTo("EXPIRED");
        assertThat(messages("dead")).singleElement().satisfies(letter -> {
            assertThat(letter.context().headers()).containsEntry("deadLetterReason", "expired");
            assertThat(letter.terms().notBefore()).isNull();
            assertThat(letter.terms().expiresAt()).isNull();
            assertThat(letter.terms().priority()).isEqualTo(7);
        });
    }

    @Test
    void copiesKeepTheOrderOfTheirKey() {
        for (int i = 0; i < 20; i++) {
            scene.write(List.of(late("a", "late " + i)));
        }

        scene.run();

        assertThat(messages("dead").stream().map(letter -> letter.context().causationId()))
                .isEqualTo(messages("default").stream()
                        .map(original -> original.id().toString())
                        .toList());
    }

    /** Apart from the database: in a small batch, the order of a hash map is right by chance. */
    @Test
    void settlementKeepsCopiesInTheOrderOfTheirSequences() {
        Map<Long, NewMessage> letters = new HashMap<>();
        for (long i = 1; i <= 50; i++) {
            letters.put(i * 7919 % 100_003, TestMessages.message("a", "late " + i));
        }

        UnsentSettlement settlement = new UnsentSettlement(List.of(), List.of(), RetentionConfig.DEFAULT, letters);

        assertThat(settlement.deadLetters().keySet().stream()).isSorted();
    }

    @Test
    void messageThatAnOperatorDiscardsMeanwhileLeavesNoCopy() {
        scene.broker.onSend = message -> {
            CompletableFuture.runAsync(
                            () -> TestMessages.change(scene.store, MessageOperation.DISCARD, OutboxFilter.all()))
                    .join();
            throw failure(Blame.MESSAGE);
        };
        scene.write("a", "poison");

        scene.run();

        assertThat(scene.column("status", "poison")).isEqualTo("DISCARDED");
        assertThat(messages("dead")).isEmpty();
    }

    /** Else a database that refuses the insert would refuse the messages that were sent beside the one given up. */
    @Test
    void copyThatCannotBeStoredDoesNotHoldUpOtherMessages() {
        scene.broker.onSend = message -> {
            if (message.body().text().equals("poison")) {
                throw failure(Blame.MESSAGE);
            }
        };
        scene.write("a", "poison");
        scene.write(List.of(late("c", "late")));
        scene.write("b", "sound");
        scene.database.update("ALTER TABLE shop_message ADD CONSTRAINT undead CHECK (destination <> 'dead')");
        try {
            assertThat(scene.run()).isNotNull();
        } finally {
            scene.database.update("ALTER TABLE shop_message DROP CONSTRAINT undead");
        }

        assertThat(scene.column("status", "sound")).isEqualTo("PUBLISHED");
        assertThat(scene.column("status", "poison")).isEqualTo("PENDING");
        assertThat(scene.column("status", "late")).isEqualTo("PENDING");
    }

    @Test
    void copiesAreCounted() {
        AtomicInteger counted = new AtomicInteger();
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void deadLettered(DestinationId destination, List<NewMessage> copies) {
                assertThat(destination).isEqualTo(ofDefaultOutbox("default"));
                counted.addAndGet(copies.size());
            }
        });
        scene.broker.onSend = message -> {
            throw failure(message.event().key().equals("a") ? Blame.MESSAGE : Blame.UNKNOWN);
        };
        scene.write("a", "poison");
        scene.write("b", "again");

        scene.run();

        assertThat(counted).hasValue(1);
    }

    /** Otherwise each copy would wait for a poll. */
    @Test
    void copyWakesTheWorkerOfItsDestination() {
        List<Runnable> started = new ArrayList<>();
        scene.dispatcher.useThreads(started::add);
        scene.broker.onSend = message -> {
            if (message.delivery().destination().equals("default")) {
                throw failure(Blame.MESSAGE);
            }
        };
        scene.write("a", "poison");

        scene.run();
        List.copyOf(started).forEach(Runnable::run);

        assertThat(scene.broker.texts()).containsExactly("poison");
    }

    /** In a rollout, the old publisher sends the message. */
    @Test
    void shadowedMessageLeavesNoCopy() {
        configure("outbox.dispatcher.shadow-destination", "discard");
        scene.write(List.of(late("a", "late")));

        scene.run();

        assertThat(scene.column("status", "late")).isEqualTo("EXPIRED");
        assertThat(messages("dead")).isEmpty();
    }

    @Test
    void rolledBackSettlementLeavesNoDeadLetter() {
        scene.broker.onSend = message -> {
            throw failure(Blame.MESSAGE);
        };
        scene.write("a", "poison");
        scene.transactions.failingCommits.set(100);

        scene.run();

        assertThat(scene.column("status", "poison")).isNotEqualTo("ABANDONED");
        assertThat(messages("dead")).isEmpty();
    }

    private void configure(String key, String value) {
        OutboxConfig config = DispatchScene.config(
                "outbox.destinations.dead.jndi",
                "jms/dead",
                "outbox.destinations.default.dead-letter",
                "dead",
                key,
                value);
        scene.configure(() -> config);
    }

    private List<OutboxMessage> messages(String destination) {
        return scene.store.finder().find(OutboxFilter.all().withDestination(destination), OutboxPageRequest.of(100));
    }

    private static NewMessage late(String key, String text) {
        return TestMessages.terms(TestMessages.message(key, text), new NewMessage.Terms(null, Duration.ZERO, null));
    }
}
