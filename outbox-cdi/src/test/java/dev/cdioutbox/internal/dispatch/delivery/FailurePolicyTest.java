package dev.cdioutbox.internal.dispatch.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.cdioutbox.internal.dispatch.delivery.FailurePolicy.End;
import dev.cdioutbox.internal.dispatch.delivery.FailurePolicy.Evidence;
import dev.cdioutbox.internal.dispatch.delivery.FailurePolicy.Step;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Guards the decision after a transaction of a batch: which messages are sent again, charged, or left. */
class FailurePolicyTest {

    @ParameterizedTest
    @CsvSource({
        // end, sent, suspect, late, refused commits, next steps
        "SENT, 500, false, false, 0,",
        "SENT, 0, false, true, 0,",
        "FULL, 60, false, false, 0, GIVE_UP",
        "FAILED, 60, false, false, 0, GIVE_UP",
        "DISCARDED, 500, false, false, 0, AGAIN REST",
        "DISCARDED, 500, false, true, 0, AGAIN REST",
        "TOO_MANY, 500, false, true, 0, HALVES",
        "TOO_MANY, 2, false, false, 0, HALVES",
        "TOO_MANY, 1, false, false, 0, GIVE_UP",
        "TOO_MANY, 0, true, false, 0, GIVE_UP",
        "MESSAGES_FAILED, 499, false, false, 0, AGAIN REST",
        "MESSAGES_FAILED, 0, false, false, 0, AGAIN REST",
        "MESSAGES_FAILED, 499, false, true, 0, GIVE_UP",
        "MESSAGES_FAILED, 499, true, false, 0, PROBE BLAME AGAIN REST",
        "MESSAGES_FAILED, 499, true, true, 0, PROBE BLAME GIVE_UP",
        "COMMIT_IN_DOUBT, 500, false, false, 0,",
        "COMMIT_UNKNOWN, 500, false, false, 0, GIVE_UP",
        "COMMIT_REFUSED, 500, false, false, 1, PROBE HALVES",
        "COMMIT_REFUSED, 500, false, true, 1, PROBE HALVES",
        "COMMIT_REFUSED, 1, false, false, 1, PROBE AGAIN",
        "COMMIT_REFUSED, 1, false, true, 2, PROBE AGAIN",
        "COMMIT_REFUSED, 1, false, false, 3, PROBE BLAME",
        "COMMIT_REFUSED, 0, false, false, 1, GIVE_UP",
    })
    void nextStepsFollowFromWhatTheEndShows(
            End end, int sent, boolean suspect, boolean late, int refusedCommits, String steps) {
        List<Step> expected = steps == null
                ? List.of()
                : Stream.of(steps.split(" ")).map(Step::valueOf).toList();

        assertThat(FailurePolicy.steps(new Evidence(end, sent, suspect, late, refusedCommits)))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "DESTINATION, FAILED",
        "DESTINATION_FULL, TOO_MANY",
        "MESSAGE, MESSAGES_FAILED",
        "UNKNOWN, MESSAGES_FAILED",
    })
    void batchThatCannotBeCompletedRollsBack(Blame blame, End end) {
        assertThat(End.of(blame, End.MESSAGES_FAILED)).isEqualTo(end);
        assertThat(end.mayCommit()).isFalse();
    }

    /** Otherwise an outage would abandon the messages of a backlog. */
    @ParameterizedTest
    @EnumSource(End.class)
    void noMessageIsBlamedBeforeAProbe(End end) {
        for (int bits = 0; bits < 4; bits++) {
            boolean suspect = bits % 2 == 1;
            boolean late = bits / 2 == 1;
            IntStream.range(0, 20)
                    .mapToObj(i -> new Evidence(end, i / 5, suspect, late, i % 5))
                    .forEach(evidence -> {
                        List<Step> steps = FailurePolicy.steps(evidence);
                        assertThat(steps.indexOf(Step.PROBE))
                                .as("%s", evidence)
                                .isEqualTo(steps.contains(Step.BLAME) || steps.contains(Step.PROBE) ? 0 : -1);
                    });
        }
    }
}
