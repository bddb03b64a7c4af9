package dev.cdioutbox.internal.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

/** Guards that refused asynchronous events do not flood the log. */
class AsyncReportsTest {
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final AsyncReports reports = new AsyncReports();

    @Test
    void eachClassIsReportedOnceAMinute() {
        assertThat(reports.isDue(String.class, 0)).isTrue();
        assertThat(reports.isDue(String.class, MINUTE - 1)).isFalse();
        assertThat(reports.isDue(Integer.class, MINUTE - 1)).isTrue();
        assertThat(reports.isDue(String.class, MINUTE)).isTrue();
        assertThat(reports.isDue(String.class, MINUTE + 1)).isFalse();
    }
}
