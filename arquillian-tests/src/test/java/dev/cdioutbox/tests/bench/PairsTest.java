package dev.cdioutbox.tests.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;

/** The statistics of the benchmark. */
class PairsTest {
    private static final Duration BLOCK = Duration.ofSeconds(2);
    private static final Duration WARM_UP = Duration.ofSeconds(1);

    @Test
    void blocksAlternateAfterTheWarmUp() throws Exception {
        List<String> ran = new ArrayList<>();

        List<Pairs> measured = Pairs.measure(
                new Form("test", 3, BLOCK, WARM_UP),
                block("A", 6, ran),
                List.of(block("B", 3, ran), block("C", 2, ran)));

        assertThat(ran).containsExactly("A1", "B1", "C1", "A2", "B2", "C2", "C2", "B2", "A2", "A2", "B2", "C2");
        assertThat(measured).extracting(pairs -> pairs.ratio().median()).containsExactly(2.0, 3.0);
        assertThat(measured.get(1).pairs()).hasSize(3).containsOnly(new Pairs.Pair(6, 2));
        assertThat(measured.get(0).ofOthers(measured.get(1)).pairs()).hasSize(3).containsOnly(new Pairs.Pair(3, 2));
    }

    /** The speed of the machine falls to a tenth during the second pair. */
    @Test
    void noiseThatMeetsBothBlocksOfAPairLeavesTheRatio() {
        Pairs pairs = new Pairs(List.of(new Pairs.Pair(200, 100), new Pairs.Pair(20, 10), new Pairs.Pair(210, 105)));

        assertThat(pairs.ratio()).isEqualTo(new Interval(2, 2, 2));
    }

    @Test
    void medianOfAnEvenNumberIsBetweenTheMiddleTwo() {
        assertThat(Interval.of(4, 1, 3, 100).median()).isEqualTo(3.5);
    }

    /** For 1 to 99, theory gives a standard error of the median of about 5: half a width of about 10. */
    @Test
    void intervalIsThatOfTheBootstrapAndTheSameEachTime() {
        double[] samples = new double[99];
        Arrays.setAll(samples, i -> i + 1);

        Interval interval = Interval.of(samples);

        assertThat(interval.median()).isEqualTo(50);
        assertThat(interval.low()).isCloseTo(40, within(3.0));
        assertThat(interval.high()).isCloseTo(60, within(3.0));
        assertThat(Interval.of(samples)).isEqualTo(interval);
    }

    @Test
    void blockThatMeasuredNothingIsNoFigure() {
        assertThatThrownBy(() -> new Pairs.Pair(0, 1)).hasMessageContaining("measured nothing");
        assertThatThrownBy(() -> new Pairs.Pair(1, Double.NaN)).hasMessageContaining("measured nothing");
    }

    @Test
    void verdictKnowsBothDirections() {
        Target rate = Target.atLeast(.5, .7);
        assertThat(List.of(rate.verdict(.49), rate.verdict(.5), rate.verdict(.7)))
                .containsExactly("below the floor", "floor", "goal");
        Target latency = Target.atMost(5, 2.5);
        assertThat(List.of(latency.verdict(5.1), latency.verdict(5), latency.verdict(2.5)))
                .containsExactly("below the floor", "floor", "goal");
    }

    private static Block block(String name, double figure, List<String> ran) {
        return time -> {
            ran.add(name + time.toSeconds());
            return figure;
        };
    }
}
