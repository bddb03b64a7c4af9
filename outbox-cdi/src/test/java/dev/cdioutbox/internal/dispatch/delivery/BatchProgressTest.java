package dev.cdioutbox.internal.dispatch.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.FakeBroker;
import dev.cdioutbox.internal.dispatch.delivery.BatchDelivery.Failure;
import dev.cdioutbox.internal.dispatch.delivery.FailurePolicy.End;
import dev.cdioutbox.internal.dispatch.delivery.SendLog.Ending;
import dev.cdioutbox.internal.dispatch.delivery.SendTransaction.Outcome;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guards that no message is sent or charged before an earlier one of its key. */
class BatchProgressTest {
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
        BatchProgress progress = new BatchProgress(BATCH);
        progress.add(outcome(End.SENT, settled, "", failed));
        progress.add(outcome(End.MESSAGES_FAILED, "", expired, ""));
        progress.add(outcome(End.COMMIT_IN_DOUBT, inDoubt, "", ""));

        assertThat(progress.sendable(BATCH)).isEqualTo(messages(sendable));
        assertThat(progress.chargeable().stream().map(Failure::message)).isEqualTo(messages(chargeable));
        assertThat(progress.expired()).isEqualTo(messages(expired));
        assertThat(progress.hasBegun()).isEqualTo(!(settled + expired + failed).isEmpty());
        assertThat(progress.isSettled()).isEqualTo((settled + expired).length() == BATCH.size());
    }

    private static Outcome outcome(End end, String sent, String expired, String failed) {
        List<Failure> failures = messages(failed).stream()
                .map(message -> new Failure(message, FakeBroker.failure(Blame.UNKNOWN)))
                .toList();
        SendLog log = new SendLog(
                messages(sent), messages(expired), Map.of(), failures, null, List.of(), new Ending(end, null), 0);
        return new Outcome(end, log, Set.of(), null);
    }

    private static List<OutboxMessage> messages(String digits) {
        return digits.chars().mapToObj(digit -> BATCH.get(digit - '0')).toList();
    }

    private static OutboxMessage stored(long sequence, String key) {
        return TestMessages.stored(sequence, key, 0);
    }
}
