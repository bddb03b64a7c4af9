package dev.cdioutbox.internal.observe;

import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import dev.cdioutbox.spi.DestinationId;
import org.junit.jupiter.api.Test;

/** Guards that a hanging thread of a destination is visible, although other threads work. */
class SilenceTest {
    private static final DestinationId DEFAULT = ofDefaultOutbox("default");

    private final AtomicLong nanos = new AtomicLong(-7);
    private final Gauges runs = new Gauges(nanos::get);

    @Test
    void threadThatHasBegunAndDoesNotEndIsSilentForEverLonger() {
        runs.began(ofDefaultOutbox("billing"));
        runs.began(DEFAULT);
        pass(Duration.ofSeconds(40));
        runs.ended(DEFAULT);

        assertThat(runs.destination(ofDefaultOutbox("billing")).silence()).isEqualTo(Duration.ofSeconds(40));
        assertThat(runs.destination(DEFAULT).silence()).isZero();
        assertThat(runs.destinations().keySet()).containsExactly(ofDefaultOutbox("billing"), DEFAULT);
    }

    @Test
    void batchAfterBatchIsNoSilence() {
        runs.began(DEFAULT);
        pass(Duration.ofSeconds(40));
        runs.claimed(DEFAULT, 1, Duration.ZERO);
        pass(Duration.ofSeconds(2));
        assertThat(runs.destination(DEFAULT).silence()).isEqualTo(Duration.ofSeconds(2));

        runs.released(DEFAULT, 1);
        assertThat(runs.destination(DEFAULT).silence()).isZero();
    }

    @Test
    void ofSeveralThreadsTheOneThatWaitsLongestCounts() throws InterruptedException {
        Thread stuck = new Thread(() -> runs.began(DEFAULT));
        stuck.start();
        stuck.join();
        pass(Duration.ofSeconds(40));
        runs.began(DEFAULT);
        assertThat(runs.destination(DEFAULT).silence()).isEqualTo(Duration.ofSeconds(40));
        runs.ended(DEFAULT);

        assertThat(runs.destination(DEFAULT).silence()).isEqualTo(Duration.ofSeconds(40));
    }

    @Test
    void failuresAreThoseInARow() {
        runs.began(DEFAULT);
        assertThat(runs.destination(DEFAULT).failedRuns()).isZero();
        runs.runFailed(DEFAULT, 2, new IllegalStateException());
        runs.ended(DEFAULT);
        assertThat(runs.destination(DEFAULT).failedRuns()).isEqualTo(2);
        runs.recovered(DEFAULT, 2);
        assertThat(runs.destination(DEFAULT).failedRuns()).isZero();
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }
}
