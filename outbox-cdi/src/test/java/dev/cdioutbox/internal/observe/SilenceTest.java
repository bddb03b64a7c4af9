package dev.cdioutbox.internal.observe;

import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

/** Guards that a hanging thread of a destination is visible, although other threads work. */
class SilenceTest {
    private final AtomicLong nanos = new AtomicLong(-7);
    private final Gauges runs = new Gauges(nanos::get);

    @Test
    void threadThatHasBegunAndDoesNotEndIsSilentForEverLonger() {
        runs.began("billing");
        runs.began("default");
        pass(Duration.ofSeconds(40));
        runs.ended("default");

        assertThat(runs.destination(ofDefaultOutbox("billing")).silence()).isEqualTo(Duration.ofSeconds(40));
        assertThat(runs.destination(ofDefaultOutbox("default")).silence()).isZero();
        assertThat(runs.destinations().keySet()).containsExactly("billing", "default");
    }

    @Test
    void batchAfterBatchIsNoSilence() {
        runs.began("default");
        pass(Duration.ofSeconds(40));
        runs.claimed("default", 1, Duration.ZERO);
        pass(Duration.ofSeconds(2));
        assertThat(runs.destination(ofDefaultOutbox("default")).silence()).isEqualTo(Duration.ofSeconds(2));

        runs.released("default", 1);
        assertThat(runs.destination(ofDefaultOutbox("default")).silence()).isZero();
    }

    @Test
    void ofSeveralThreadsTheOneThatWaitsLongestCounts() throws InterruptedException {
        Thread stuck = new Thread(() -> runs.began("default"));
        stuck.start();
        stuck.join();
        pass(Duration.ofSeconds(40));
        runs.began("default");
        assertThat(runs.destination(ofDefaultOutbox("default")).silence()).isEqualTo(Duration.ofSeconds(40));
        runs.ended("default");

        assertThat(runs.destination(ofDefaultOutbox("default")).silence()).isEqualTo(Duration.ofSeconds(40));
    }

    @Test
    void failuresAreThoseInARow() {
        runs.began("default");
        assertThat(runs.destination(ofDefaultOutbox("default")).failedRuns()).isZero();
        runs.runFailed("default", 2, new IllegalStateException());
        runs.ended("default");
        assertThat(runs.destination(ofDefaultOutbox("default")).failedRuns()).isEqualTo(2);
        runs.recovered("default", 2);
        assertThat(runs.destination(ofDefaultOutbox("default")).failedRuns()).isZero();
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }
}
