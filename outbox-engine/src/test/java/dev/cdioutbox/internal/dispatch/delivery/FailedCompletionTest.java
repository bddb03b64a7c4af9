package dev.cdioutbox.internal.dispatch.delivery;

import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.dispatch.DispatchScene;
import dev.cdioutbox.internal.dispatch.FakeBroker;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guards what becomes of a batch that its publisher cannot complete. */
@Tag("database")
class FailedCompletionTest {
    private static final int MESSAGES = 20;
    private static final int KEYS = 4;

    @AutoClose
    private final DispatchScene scene = new DispatchScene("outbox.partitions", "1");

    @ParameterizedTest
    @CsvSource({
        // An abandoned message lets its followers pass; one that is retried does not.
        "exactly-once, MESSAGE, ABANDONED1, 19",
        "exactly-once, UNKNOWN, FAILED1, 16",
        "at-least-once, MESSAGE, ABANDONED1, 19",
        "at-least-once, UNKNOWN, FAILED1, 16",
    })
    void messageAtFaultIsChargedAndTheOthersAreSentAgainInOrder(
            String delivery, Blame blame, String charged, int published) {
        scene.write(numbered(0, MESSAGES, KEYS));
        scene.broker.onComplete = sent -> sent.stream()
                .filter(message -> message.body().text().equals("5"))
                .collect(Collectors.toMap(Function.identity(), message -> FakeBroker.failure(blame)));

        assertThat(scene.run(() -> DispatchScene.config("outbox.dispatcher.delivery", delivery), () -> false))
                .isNull();

        assertThat(scene.column("status || attempts", "5")).isEqualTo(charged);
        assertThat(scene.broker.texts())
                .hasSize(published)
                .doesNotHaveDuplicates()
                .doesNotContain("5");
        for (int key = 0; key < KEYS; key++) {
            int residue = key;
            assertThat(scene.broker.texts().stream().map(Integer::valueOf).filter(n -> n % KEYS == residue))
                    .isSorted();
        }
    }

    /** A charge of the second one would set when the first one is tried again: never, if it is abandoned and blocks. */
    @Test
    void ofOneKeyOnlyTheFirstMessageIsCharged() {
        scene.write(numbered(0, MESSAGES, KEYS));
        scene.broker.onComplete = sent -> sent.stream()
                .filter(message -> message.body().text().equals("1")
                        || message.body().text().equals("5"))
                .collect(Collectors.toMap(
                        Function.identity(),
                        message ->
                                FakeBroker.failure(message.body().text().equals("1") ? Blame.UNKNOWN : Blame.MESSAGE)));

        scene.run(() -> DispatchScene.config("outbox.retry.on-abandon", "block"), () -> false);

        assertThat(scene.column("status || attempts", "1")).isEqualTo("FAILED1");
        assertThat(scene.column("status || attempts", "5")).isEqualTo("PENDING0");
        assertThat(scene.store.delayed().untilNextDue("default")).isNotNull();
    }

    /** Otherwise a destination that never has room for a whole batch would get no message at all. */
    @Test
    void batchForWhichThereIsNoRoomIsSentInParts() {
        scene.write(numbered(0, MESSAGES, KEYS));
        scene.broker.onComplete = sent -> {
            if (sent.size() > KEYS) {
                throw FakeBroker.failure(Blame.DESTINATION_FULL);
            }
            return Map.of();
        };

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).hasSize(MESSAGES).doesNotHaveDuplicates();
        assertThat(scene.database.statusesAndAttempts()).containsExactly("PUBLISHED1");
    }

    @Test
    void outageThatShowsWhenTheBatchIsCompletedChargesNoMessage() {
        scene.write(numbered(0, MESSAGES, KEYS));
        scene.broker.onComplete = sent -> {
            throw FakeBroker.failure(Blame.DESTINATION);
        };

        assertThat(scene.run()).hasRootCauseMessage("refused by DESTINATION");

        assertThat(scene.broker.texts()).isEmpty();
        assertThat(scene.database.statusesAndAttempts()).containsExactly("PENDING0");
    }

    /** The publisher does not know which message is at fault: the batch is halved until one is alone. */
    @Test
    void messageThatMakesItsBatchFailIsFoundByHalves() {
        scene.write(numbered(0, MESSAGES, MESSAGES));
        scene.broker.onComplete = sent -> {
            if (sent.stream().anyMatch(message -> message.body().text().equals("5"))) {
                throw FakeBroker.failure(Blame.UNKNOWN);
            }
            return Map.of();
        };

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts())
                .hasSize(MESSAGES - 1)
                .doesNotHaveDuplicates()
                .doesNotContain("5");
        assertThat(scene.column("status || attempts", "5")).isEqualTo("FAILED1");
    }
}
