package dev.cdioutbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Guards that a worker has one timer for the next message that becomes due, and not one for each run. */
class DueMessagesTest {
    private final DueMessages timer = new DueMessages(() -> false, this::untilNextDue, () -> this.nanos);
    private final List<Duration> started = new ArrayList<>();
    private Duration nextDue;
    private long nanos;
    private int questions;
    private boolean isAway;

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

    /** For example because the server's clock was set back. No message has begun to wait since. */
    @Test
    void timerThatNeverFiresIsReplacedOnce() {
        refresh(Duration.ofMinutes(20));

        nanos = Duration.ofMinutes(20).plusSeconds(1).toNanos();
        timer.askIfNecessary();
        assertThat(started).as("the container may be late").hasSize(1);

        nanos = Duration.ofMinutes(21).toNanos();
        nextDue = Duration.ofMinutes(5);
        timer.askIfNecessary();
        timer.askIfNecessary();
        assertThat(started).containsExactly(Duration.ofMinutes(20), Duration.ofMinutes(5));
    }

    @Test
    void databaseIsAskedOnlyIfTheTimeMayHaveChanged() {
        timer.askIfNecessary();
        timer.askIfNecessary();
        assertThat(questions).isEqualTo(1);

        isAway = true;
        timer.mustAsk();
        timer.askIfNecessary();
        isAway = false;
        timer.askIfNecessary();
        timer.askIfNecessary();
        assertThat(questions).as("again, because the database did not answer").isEqualTo(3);
    }

    private Duration untilNextDue() {
        questions++;
        if (isAway) {
            throw new IllegalStateException("the database is away");
        }
        return nextDue;
    }

    private void refresh(Duration untilDue) {
        nextDue = untilDue;
        timer.mustAsk();
        timer.askIfNecessary();
    }
}
