package dev.cdioutbox.internal.dispatch.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import dev.cdioutbox.internal.problem.LogLines;
import org.junit.jupiter.api.Test;

/** Guards the state of a worker: its failures in a row, when a report is due, and its last good run. */
class WorkerStatusTest {
    private final WorkerStatus status = new WorkerStatus("default", null);

    @Test
    void failuresAreCountedUntilARunSucceeds() {
        status.failed(100);
        status.failed(200);
        status.failed(350);

        assertThat(status.failures()).isEqualTo(3);
        assertThat(status.failingFor(350)).isEqualTo(250);
        assertThat(status.succeeded(400)).isEqualTo(3);
        assertThat(status.failures()).isZero();
        assertThat(status.succeeded(500)).isZero();
        status.failed(600);
        assertThat(status.failingFor(650)).isEqualTo(50);
    }

    @Test
    void lastingFailureIsReportedOncePerPeriod() {
        status.failed(0);

        assertThat(status.reportDue(59, 60)).isFalse();
        assertThat(status.reportDue(60, 60)).isTrue();
        assertThat(status.reportDue(119, 60)).isFalse();
        assertThat(status.reportDue(120, 60)).isTrue();
    }

    /** The line names the runs and the reason, and does not say that the destination is at fault. */
    @Test
    void lastingFailureNamesTheRunsTheirTimeAndTheReason() {
        try (LogLines logged = new LogLines(WorkerStatus.class.getName())) {
            Throwable failure = new DeliveryException(3, new IllegalStateException("no permission"));
            status.runEnded(failure, 0);
            status.runEnded(failure, Duration.ofSeconds(59).toNanos());
            status.runEnded(failure, Duration.ofSeconds(61).toNanos());

            assertThat(logged.all())
                    .satisfiesExactly(
                            first -> assertThat(first)
                                    .isEqualTo(
                                            "OBX-0401: destination 'default': delivery failed; 3 message(s) are rolled"
                                                    + " back and will be tried again: no permission."),
                            lasting -> assertThat(lasting)
                                    .isEqualTo(
                                            "OBX-0409: destination 'default': 3 runs in a row have failed, for PT1M1S:"
                                                    + " no permission."));
        }
    }

    /** The test of the broker, or the claim, has failed. */
    @Test
    void failureWithoutABatchDoesNotCountMessages() {
        try (LogLines logged = new LogLines(WorkerStatus.class.getName())) {
            status.runEnded(new DeliveryException(0, new IllegalStateException("no queue")), 0);
            new WorkerStatus("billing", null).runEnded(new IllegalStateException("no connection"), 0);

            assertThat(logged.all())
                    .containsExactly(
                            "OBX-0401: destination 'default': delivery failed; its messages wait: no queue.",
                            "OBX-0401: destination 'billing': delivery failed; its messages wait: no connection.");
        }
    }

    @Test
    void refusalIsReportedOncePerReasonAndAtMostOncePerPeriod() {
        status.failed(0);
        assertThat(status.refusalDue("no XA for 1", 0, 60)).isTrue();
        assertThat(status.refusalDue("no XA for 1", 60, 60)).isFalse();
        assertThat(status.refusalDue("no XA for 2", 59, 60)).isFalse();
        assertThat(status.refusalDue("no XA for 3", 60, 60)).isTrue();
        assertThat(status.refusalDue("no XA for 4", 119, 60)).isFalse();

        status.succeeded(120);
        status.failed(121);
        assertThat(status.refusalDue("no XA for 3", 121, 60)).isTrue();
    }

    @Test
    void workerRanRecentlyForAWhileAfterAGoodRun() {
        assertThat(status.ranRecently(0, 100)).isFalse();
        status.succeeded(1000);

        assertThat(status.ranRecently(1099, 100)).isTrue();
        assertThat(status.ranRecently(1100, 100)).isFalse();
        status.failed(1050);
        assertThat(status.ranRecently(1060, 100))
                .as("the container's own retry")
                .isFalse();
        status.failed(1070);
        assertThat(status.ranRecently(1080, 100)).isTrue();
        assertThat(status.ranRecently(1170, 100)).isFalse();
    }
}
