package dev.cdioutbox.internal.operate.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.observe.Observers;
import dev.cdioutbox.internal.observe.ThreadActivity;
import org.junit.jupiter.api.Test;

/** Guards that the console shows messages in doubt only after a minute: most of them end sooner. */
class DestinationHealthTrackerTest {
    private final AtomicLong nanos = new AtomicLong();
    private final Gauges gauges = new Gauges(nanos::get);
    private final DestinationHealthTracker tracker = new DestinationHealthTracker();

    DestinationHealthTrackerTest() {
        tracker.observers = new Observers(gauges);
        tracker.threadActivity = new ThreadActivity();
    }

    @Test
    void doubtIsForAPersonAfterAMinute() {
        assertThat(tracker.health("default").isInDoubt()).isFalse();
        gauges.inDoubt("default", 2, Duration.ofSeconds(59));
        assertThat(tracker.health("default").isInDoubt()).isFalse();

        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(tracker.health("default").isInDoubt()).isTrue();
        assertThat(tracker.health("default").inDoubt()).isEqualTo(new DestinationHealth.InDoubt(2, 60));
        assertThat(tracker.health("audit").isInDoubt()).isFalse();

        gauges.inDoubt("default", 0, Duration.ZERO);
        assertThat(tracker.health("default").isInDoubt()).isFalse();
    }
}
