package dev.cdioutbox.internal.dispatch.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.cdioutbox.internal.dispatch.delivery.FailurePolicy.Evidence;
import dev.cdioutbox.internal.dispatch.delivery.FailurePolicy.Limit;
import dev.cdioutbox.internal.dispatch.delivery.FailurePolicy.Step;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards the decision after an attempt: what is probed and charged, whether the delivery fails, and how many messages follow. */
class FailurePolicyTest {

    @ParameterizedTest
    @CsvSource(textBlock = """
            # end,           sent, suspect, late, limit,     steps,             next limit
            SENT,            500, false, false, 500/500/0,   '',                500/500/0/+
            SENT,            60,  false, true,  60/500/0,    '',                60/500/0/+
            SENT,            60,  false, true,  60/500/0/+,  '',                120/500/0/+
            SENT,            200, false, false, 200/300/0/+, '',                300/300/0/+
            SENT,            1,   false, false, 1/500/2,     '',                1/500/0/+
            COMMIT_IN_DOUBT, 60,  false, false, 60/500/0/+,  '',                120/500/0/+
            COMMITTED_WITHOUT_BROKER, 60, false, false, 60/500/0/+, '',         120/500/0/+
            FULL,            60,  false, false, 500/500/0,  fails,             500/500/0
            FAILED,          60,  false, false, 500/500/0,  fails,             500/500/0
            COMMIT_UNKNOWN,  500, false, false, 500/500/0,  fails,             500/500/0
            DISCARDED,       500, false, false, 500/500/0,  '',                500/500/0
            DISCARDED,       1,   false, true,  1/500/2,    '',                1/500/0
            TOO_MANY,        500, false, true,  500/500/0,  '',                250/250/0
            TOO_MANY,        2,   false, false, 2/500/0,    '',                1/1/0
            TOO_MANY,        1,   false, false, 1/500/0,    fails,             1/500/0
            TOO_MANY,        0,   true,  false, 500/500/0,  fails,             500/500/0
            MESSAGES_FAILED, 499, false, false, 500/500/0,  '',                499/500/0
            MESSAGES_FAILED, 0,   false, false, 500/500/0,  '',                500/500/0
            MESSAGES_FAILED, 499, false, true,  500/500/0,  fails,             500/500/0
            MESSAGES_FAILED, 499, true,  false, 500/500/0,  probes charges,    499/500/0
            MESSAGES_FAILED, 0,   true,  false, 500/500/0,  probes charges,    500/500/0
            MESSAGES_FAILED, 9,   true,  true,  500/500/0,  probes charges fails, 500/500/0
            COMMIT_REFUSED,  500, false, false, 500/500/0/+, probes,            250/500/0
            COMMIT_REFUSED,  3,   false, true,  3/500/0,    probes,            1/500/0
            COMMIT_REFUSED,  1,   false, false, 1/500/0,    probes,            1/500/1
            COMMIT_REFUSED,  1,   false, true,  1/500/1,    probes,            1/500/2
            COMMIT_REFUSED,  1,   false, false, 1/500/2,    probes charges,    1/500/0
            COMMIT_REFUSED,  0,   false, false, 500/500/0,  fails,             500/500/0""")
    void whatFollows(End end, int sent, boolean suspect, boolean late, String limit, String steps, String next) {
        Step step = FailurePolicy.after(new Evidence(end, sent, suspect, late), limit(limit));

        assertThat(names(step)).isEqualTo(steps);
        assertThat(step.limit()).isEqualTo(limit(next));
    }

    private static String names(Step step) {
        return Stream.of(
                        step.probes() ? "probes" : null,
                        step.charges() ? "charges" : null,
                        step.fails() ? "fails" : null)
                .filter(name -> name != null)
                .reduce((one, two) -> one + " " + two)
                .orElse("");
    }

    private static Limit limit(String numbers) {
        String[] parts = numbers.split("/");
        return new Limit(
                Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(parts[2]), parts.length > 3);
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

    /** Otherwise an outage would abandon the messages of a backlog, or a claim would go on with no message. */
    @Test
    void noMessageIsChargedWithoutAProbeAndEachAttemptHasAMessage() {
        for (End end : End.values()) {
            for (int bits = 0; bits < 64; bits++) {
                Evidence evidence = new Evidence(end, bits >> 2 & 3, (bits & 1) == 1, (bits & 2) == 2);
                Step step = FailurePolicy.after(evidence, new Limit(4, 8, bits >> 4 & 3, (bits & 1) == 1));

                assertThat(step.probes() || !step.charges()).as("%s", evidence).isTrue();
                assertThat(step.limit().messages()).as("%s", evidence).isBetween(1, 8);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 249, 250, 333, 498, 499})
    void messageThatIsRefusedAtTheCommitCostsFewAttempts(int poison) {
        Trial trial = new Trial(500, number -> number == poison, Integer.MAX_VALUE);

        assertThat(trial.charged).containsExactly(poison);
        assertThat(trial.attempts).isLessThanOrEqualTo(28);
        assertThat(trial.sends).allMatch(sends -> sends <= 12);
    }

    @Test
    void manyMessagesThatAreRefusedAtTheCommitCostFewSendsEach() {
        Trial all = new Trial(500, number -> true, Integer.MAX_VALUE);
        Trial half = new Trial(500, number -> number % 2 == 1, Integer.MAX_VALUE);

        assertThat(all.charged).hasSize(500);
        assertThat(all.sum()).isLessThan(500 * 6);
        assertThat(half.charged).hasSize(250);
        assertThat(half.sum()).isLessThan(500 * 6);
        assertThat(half.sends).allMatch(sends -> sends <= 12);
    }

    /** Each time-out takes as long as the container allows. */
    @Test
    void numberThatWasTooManyIsNotTriedAgain() {
        Trial trial = new Trial(500, number -> false, 100);

        assertThat(trial.charged).isEmpty();
        assertThat(trial.failed).as("500, 250 and 125").isEqualTo(3);
    }

    /** A claim whose messages are refused at the commit, or exceed the time-out of a transaction if they are too many. */
    private static final class Trial {
        final List<Integer> charged = new ArrayList<>();
        final int[] counts;
        List<Integer> sends;
        int attempts;
        int failed;

        Trial(int messages, IntPredicate isRefused, int most) {
            counts = new int[messages];
            List<Integer> rest =
                    new ArrayList<>(IntStream.range(0, messages).boxed().toList());
            Limit limit = Limit.of(messages);
            while (!rest.isEmpty()) {
                List<Integer> next = rest.subList(0, Math.min(limit.messages(), rest.size()));
                next.forEach(number -> counts[number]++);
                attempts++;
                End end = next.size() > most
                        ? End.TOO_MANY
                        : next.stream().anyMatch(isRefused::test) ? End.COMMIT_REFUSED : End.SENT;
                Step step = FailurePolicy.after(new Evidence(end, next.size(), false, false), limit);
                limit = step.limit();
                failed += end == End.SENT ? 0 : 1;
                if (step.charges()) {
                    charged.add(next.get(0));
                }
                if (step.charges() || end == End.SENT) {
                    next.clear();
                }
            }
            sends = IntStream.of(counts).boxed().toList();
        }

        int sum() {
            return IntStream.of(counts).sum();
        }
    }
}
