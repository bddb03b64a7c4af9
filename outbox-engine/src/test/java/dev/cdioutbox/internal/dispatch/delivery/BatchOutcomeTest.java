package dev.cdioutbox.internal.dispatch.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.FakeBroker;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guards that no message is sent or charged before an earlier one of its key. */
class BatchOutcomeTest {
    /** The keys a, b, a, b, and two messages without a key. */
    private static final List<OutboxMessage> BATCH =
            List.of(stored(0, "a"), stored(1, "b"), stored(2, "a"), stored(3, "b"), stored(4, null), stored(5, null));

    @ParameterizedTest
    @CsvSource({
        // settled, expired, failed, in doubt; those that may be sent, and those that may be charged
        "'', '', '', '', 012345, ''",
        "01, '', '', '', 2345, ''",
        "'', 01, '', '', 2345, ''",
        "'', '', 0, '', 1345, 0",
        "'', '', 2, '', 01345, ''",
        "0, '', 2, '', 1345, 2",
        "'', 0, 2, '', 1345, 2",
        "'', '', 02, '', 1345, 0",
        "'', '', 4, '', 01235, 4",
        "0123, '', 45, '', '', 45",
        "45, '', '', 0, 13, ''",
        "'', '', 2, 0, 1345, ''",
        "0123, 45, '', '', '', ''",
    })
    void followersWait(
            String settled, String expired, String failed, String inDoubt, String sendable, String chargeable) {
        BatchOutcome outcome = new BatchOutcome(BATCH);
        outcome.add(attempt(End.SENT, settled, "", failed));
        outcome.add(attempt(End.MESSAGES_FAILED, "", expired, ""));
        outcome.add(attempt(End.COMMIT_IN_DOUBT, inDoubt, "", ""));

        assertThat(outcome.sendable(BATCH)).isEqualTo(messages(sendable));
        assertThat(outcome.chargeable().stream().map(Failure::message)).isEqualTo(messages(chargeable));
        assertThat(outcome.expired()).isEqualTo(messages(expired));
        assertThat(outcome.hasBegun()).isEqualTo(!(settled + expired + failed + inDoubt).isEmpty());
        assertThat(outcome.isSettled()).isEqualTo((settled + expired).length() == BATCH.size());
    }

    /** A message that is held lets its followers pass, but no other message of its key may be charged before an open one. */
    @ParameterizedTest
    @CsvSource({
        // failed, held; what ends the send of message 2 beside them; those that may be sent, and those that may be
        // charged
        "0, 0, '', 12345, 0",
        "02, 0, '', 1345, 02",
        "02, 02, '', 1345, 02",
        "0, 0, SENT, 1345, ''",
        "0, 0, COMMIT_IN_DOUBT, 1345, ''",
        "0, 0, COMMIT_REFUSED, 12345, 0",
    })
    void followersOfAHeldMessagePass(String failed, String held, String end, String sendable, String chargeable) {
        BatchOutcome outcome = new BatchOutcome(BATCH);
        Attempt attempt = attempt(End.MESSAGES_FAILED, "", "", failed);
        outcome.add(attempt);
        List<Failure> passed = attempt.failed().stream()
                .filter(failure -> messages(held).contains(failure.message()))
                .toList();
        passed.forEach(outcome::held);
        if (!end.isEmpty()) {
            Attempt follower = attempt(End.valueOf(end), "2", "", "");
            outcome.add(follower);
            outcome.addSkipped(passed, follower.end());
        }

        assertThat(outcome.sendable(BATCH)).isEqualTo(messages(sendable));
        assertThat(outcome.chargeable().stream().map(Failure::message)).isEqualTo(messages(chargeable));
        assertThat(outcome.isSettled()).isFalse();
    }

    private static Attempt attempt(End end, String sent, String expired, String failed) {
        List<Failure> failures = messages(failed).stream()
                .map(message -> new Failure(message, FakeBroker.failure(Blame.UNKNOWN)))
                .toList();
        return new Attempt(end, null, messages(sent), messages(expired), failures, null, Set.of(), Map.of(), 0);
    }

    private static List<OutboxMessage> messages(String digits) {
        return digits.chars().mapToObj(digit -> BATCH.get(digit - '0')).toList();
    }

    private static OutboxMessage stored(long sequence, String key) {
        return TestMessages.stored(sequence, key, 0);
    }
}
