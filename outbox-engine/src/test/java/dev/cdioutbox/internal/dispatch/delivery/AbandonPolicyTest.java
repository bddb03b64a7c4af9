package dev.cdioutbox.internal.dispatch.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;

import dev.cdioutbox.internal.dispatch.delivery.AbandonPolicy.Evidence;
import dev.cdioutbox.internal.dispatch.delivery.AbandonPolicy.Verdict;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guards when a message is given up, and what proves that its destination works. */
class AbandonPolicyTest {

    @ParameterizedTest
    @CsvSource({
        // blame, last attempt, skipped, destination works, verdict
        "MESSAGE, false, true, false, ABANDON",
        "MESSAGE, true, false, false, ABANDON",
        "UNKNOWN, false, true, false, RETRY",
        "UNKNOWN, false, true, true, RETRY",
        "UNKNOWN, true, false, false, ABANDON",
        "UNKNOWN, true, true, true, ABANDON",
        "UNKNOWN, true, true, false, HOLD",
    })
    void onlyAWorkingDestinationLosesAMessageThatIsSkipped(
            Blame blame, boolean last, boolean skipped, boolean works, Verdict verdict) {
        assertThat(AbandonPolicy.of(new Evidence(blame, last, skipped, works))).isEqualTo(verdict);
    }

    @ParameterizedTest
    @CsvSource({
        // last delivery, last failure, begin of the attempt, in seconds
        ", , 5, false",
        "4, , 5, false",
        "6, , 5, true",
        ", 3, 5, false",
        "2, 3, 5, false",
        "3, 3, 5, false",
        "4, 3, 5, true",
    })
    void proofIsADeliverySinceTheLastFailureOrInTheFirstAttempt(
            Long delivery, Long failure, long begin, boolean works) {
        assertThat(AbandonPolicy.works(time(delivery), time(failure), time(begin)))
                .isEqualTo(works);
    }

    private static Instant time(Long seconds) {
        return seconds == null ? null : Instant.ofEpochSecond(seconds);
    }
}
