package dev.cdioutbox.internal.operate.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import dev.cdioutbox.internal.observe.Gauges;
import org.junit.jupiter.api.Test;

/** Guards that the console shows messages in doubt only after a minute: most of them end sooner. */
class DestinationHealthTest {
    private final AtomicLong nanos = new AtomicLong();
    private final Gauges gauges = new Gauges(nanos::get);

    @Test
    void doubtIsForAPersonAfterAMinute() {
        assertThat(health("default").isInDoubt()).isFalse();
        gauges.inDoubt("default", 2, Duration.ofSeconds(59));
        assertThat(health("default").isInDoubt()).isFalse();

        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(health("default").isInDoubt()).isTrue();
        assertThat(health("default").inDoubt()).isEqualTo(new DestinationHealth.InDoubt(2, 60));
        assertThat(health("audit").isInDoubt()).isFalse();

        gauges.inDoubt("default", 0, Duration.ZERO);
        assertThat(health("default").isInDoubt()).isFalse();
    }

    private DestinationHealth health(String label) {
        return DestinationHealth.of(gauges, label);
    }
}
