package dev.cdioutbox.internal.dispatch.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.time.Duration;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.DispatchScene;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.problem.LogLines;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Guards the state of a worker: its failures in a row, when a report is due, and its last good run. */
class WorkerStatusTest {
    private static final Throwable FAILURE = new DeliveryException(3, new IllegalStateException("no permission"));

    private final OutboxConfig config = DispatchScene.config();
    private final Environment environment = new Environment(null, null, null, null, () -> config, () -> false);
    private final WorkerStatus status = new WorkerStatus("default", environment);

    @AutoClose
    private final LogLines logged = new LogLines(WorkerStatus.class.getName());

    @Test
    void failuresAreCountedUntilARunSucceeds() {
        ended(FAILURE, 0);
        ended(FAILURE, 1);
        ended(FAILURE, 2);
        assertThat(status.failures()).isEqualTo(3);

        ended(null, 3);
        ended(null, 4);
        assertThat(status.failures()).isZero();
        assertThat(logged.all()).hasSize(2).last(STRING).startsWith("OBX-0402").contains("3");

        ended(FAILURE, 100);
        assertThat(status.failures()).isEqualTo(1);
        ended(FAILURE, 160);
        assertThat(logged.all()).hasSize(4).last(STRING).contains("2 runs in a row have failed, for PT1M:");
    }

    @Test
    void lastingFailureIsReportedOncePerPeriod() {
        for (int second : new int[] {0, 59, 60, 119, 120}) {
            ended(FAILURE, second);
        }

        assertThat(logged.all())
                .extracting(line -> line.substring(0, 8))
                .containsExactly("OBX-0401", "OBX-0409", "OBX-0409");
    }

    /** The line names the runs and the reason, and does not say that the destination is at fault. */
    @Test
    void lastingFailureNamesTheRunsTheirTimeAndTheReason() {
        ended(FAILURE, 0);
        ended(FAILURE, 59);
        ended(FAILURE, 61);

        assertThat(logged.all())
                .satisfiesExactly(
                        first -> assertThat(first)
                                .isEqualTo("OBX-0401: destination 'default': delivery failed; 3 message(s) are rolled"
                                        + " back and will be tried again: no permission."),
                        lasting -> assertThat(lasting)
                                .isEqualTo("OBX-0409: destination 'default': 3 runs in a row have failed, for PT1M1S:"
                                        + " no permission."));
    }

    /** The test of the broker, or the claim, has failed. */
    @Test
    void failureWithoutABatchDoesNotCountMessages() {
        status.runEnded(new DeliveryException(0, new IllegalStateException("no queue")), 0);
        new WorkerStatus("billing", environment).runEnded(new IllegalStateException("no connection"), 0);

        assertThat(logged.all())
                .containsExactly(
                        "OBX-0401: destination 'default': delivery failed; its messages wait: no queue.",
                        "OBX-0401: destination 'billing': delivery failed; its messages wait: no connection.");
    }

    @Test
    void refusalIsReportedOncePerReasonAndAtMostOncePerPeriod() {
        ended(refusal("no XA for 1"), 0);
        ended(refusal("no XA for 1"), 30);
        ended(refusal("no XA for 2"), 59);
        assertThat(logged.all()).singleElement(STRING).startsWith("OBX-0403").contains("no XA for 1");
        ended(refusal("no XA for 3"), 60);
        ended(refusal("no XA for 4"), 119);
        assertThat(logged.all()).hasSize(2).last(STRING).startsWith("OBX-0403").contains("no XA for 3");

        ended(null, 120);
        ended(refusal("no XA for 3"), 121);
        assertThat(logged.all()).hasSize(4).last(STRING).startsWith("OBX-0403").contains("no XA for 3");
    }

    @Test
    void workerRanRecentlyForAWhileAfterAGoodRun() {
        assertThat(ranRecently(0)).isFalse();
        ended(null, 1000);

        assertThat(ranRecently(1099)).isTrue();
        assertThat(ranRecently(1100)).isFalse();
        ended(FAILURE, 1050);
        assertThat(ranRecently(1060)).as("the container's own retry").isFalse();
        ended(FAILURE, 1070);
        assertThat(ranRecently(1080)).isTrue();
        assertThat(ranRecently(1170)).isFalse();
    }

    private static Throwable refusal(String reason) {
        return new DeliveryException(reason, new IllegalStateException());
    }

    private void ended(Throwable failure, int second) {
        status.runEnded(failure, Duration.ofSeconds(second).toNanos());
    }

    private boolean ranRecently(int second) {
        return status.ranRecently(
                Duration.ofSeconds(second).toNanos(), Duration.ofSeconds(100).toNanos());
    }
}
