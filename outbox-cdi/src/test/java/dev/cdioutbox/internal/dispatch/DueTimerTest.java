package dev.cdioutbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

/** Guards that a worker has one timer for the next message that becomes due, and not one for each run. */
class DueTimerTest {
    private final DueTimer timer = new DueTimer();
    private final List<Duration> started = new ArrayList<>();
    private long nanos;

    /** Otherwise each commit of a delayed message would add a timer, and each timer a run for all partitions. */
    @Test
    void oneTimerServesAllMessagesThatAreDueLater() {
        start(Duration.ofMinutes(20));
        start(Duration.ofMinutes(30));
        nanos = Duration.ofMinutes(1).toNanos();
        start(Duration.ofMinutes(19).minusMillis(10));
        assertThat(started).containsExactly(Duration.ofMinutes(20));

        start(Duration.ofMinutes(10));
        assertThat(started).as("one that is due earlier").hasSize(2);

        timer.fired();
        start(Duration.ofMinutes(30));
        assertThat(started).as("the timer has fired").hasSize(3);
    }

    @Test
    void timerFiresNeitherAtOnceNorInYears() {
        start(Duration.ofDays(365L * 7000));
        start(Duration.ZERO);

        assertThat(started).containsExactly(Duration.ofHours(1), Duration.ofMillis(50));
    }

    @Test
    void workerAsksAtItsStartAndWhenAMessageMayHaveBegunToWait() {
        assertThat(timer.takeQuestion()).isTrue();
        assertThat(timer.takeQuestion()).isFalse();

        timer.ask();
        assertThat(timer.takeQuestion()).isTrue();

        timer.fired();
        assertThat(timer.takeQuestion()).isTrue();
    }

    private void start(Duration untilDue) {
        timer.start(untilDue, nanos, started::add);
    }
}
