package dev.cdioutbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Guards that a worker has one timer for the next message that becomes due, and not one for each run. */
class DueTimerTest {
    private final DueTimer timer = new DueTimer(this::untilNextDue, () -> this.nanos);
    private final List<Duration> started = new ArrayList<>();
    private Duration nextDue;
    private long nanos;

    @BeforeEach
    void keepTheTimers() {
        timer.use(started::add);
    }

    /** Otherwise each commit of a delayed message would add a timer, and each timer a run for all partitions. */
    @Test
    void oneTimerServesAllMessagesThatAreDueLater() {
        refresh(Duration.ofMinutes(20));
        refresh(Duration.ofMinutes(30));
        nanos = Duration.ofMinutes(1).toNanos();
        refresh(Duration.ofMinutes(19).minusMillis(10));
        assertThat(started).containsExactly(Duration.ofMinutes(20));

        refresh(Duration.ofMinutes(10));
        assertThat(started).as("one that is due earlier").hasSize(2);

        timer.fired();
        refresh(Duration.ofMinutes(30));
        assertThat(started).as("the timer has fired").hasSize(3);
    }

    @Test
    void timerFiresNeitherAtOnceNorInYears() {
        refresh(Duration.ofDays(365L * 7000));
        refresh(Duration.ZERO);

        assertThat(started).containsExactly(Duration.ofHours(1), Duration.ofMillis(50));
    }

    @Test
    void tellsWhetherTheDatabaseHasAnswered() {
        DueTimer failing = new DueTimer(
                () -> {
                    throw new IllegalStateException("the database is away");
                },
                () -> nanos);

        assertThat(failing.ask()).isFalse();
        assertThat(timer.ask()).isTrue();
    }

    private Duration untilNextDue() {
        return nextDue;
    }

    private void refresh(Duration untilDue) {
        nextDue = untilDue;
        timer.ask();
    }
}
