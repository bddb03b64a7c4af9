package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.time.Duration;

import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.dispatch.delivery.DeliveryException;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Guards the log lines about failed runs: few of them during an outage, and each says what failed. */
class FailureLogTest {
    private static final Throwable FAILURE = DeliveryException.ofClaim(new IllegalStateException("no permission"), 1L);

    private final FailureLog log = new FailureLog(ofDefaultOutbox("default"));
    private int failures;

    @AutoClose
    private final LogLines logged = new LogLines(FailureLog.class.getName());

    @Test
    void eachOutageBeginsAndEndsWithALine() {
        failed(FAILURE, 0);
        failed(FAILURE, 1);
        failed(FAILURE, 2);
        resumed();
        assertThat(logged.all()).hasSize(2).last(STRING).startsWith("OBX-0402").contains("3");

        failed(FAILURE, 100);
        failed(FAILURE, 160);
        assertThat(logged.all()).hasSize(4).last(STRING).contains("delivery has failed for 1 min, 2 times:");
    }

    @Test
    void lastingFailureIsReportedOncePerPeriod() {
        for (int second : new int[] {0, 59, 60, 119, 120}) {
            failed(FAILURE, second);
        }

        assertThat(logged.all())
                .extracting(line -> line.substring(0, 8))
                .containsExactly("OBX-0401", "OBX-0409", "OBX-0409");
    }

    /** The line names the runs and the reason, and does not say that the destination is at fault. */
    @Test
    void lastingFailureNamesTheRunsTheirTimeAndTheReason() {
        failed(FAILURE, 0);
        failed(FAILURE, 59);
        failed(FAILURE, 61);

        assertThat(logged.all())
                .satisfiesExactly(
                        first -> assertThat(first)
                                .isEqualTo("OBX-0401: destination 'default': delivery failed; its messages wait:"
                                        + " no permission."),
                        lasting -> assertThat(lasting)
                                .isEqualTo(
                                        "OBX-0409: destination 'default': delivery has failed for 1 min 1 s, 3 times:"
                                                + " no permission."));
    }

    /** After a failover to a read-only standby, the first failure is a connection of the pool that broke. */
    @Test
    void secondReasonIsReportedAtOnceAndFurtherOnesWithTheNextLine() {
        failed(DeliveryException.ofClaim(new IllegalStateException("Broken pipe"), 1L), 0);
        failed(DeliveryException.ofClaim(new IllegalStateException("read-only transaction"), 1L), 5);
        failed(DeliveryException.ofClaim(new IllegalStateException("Broken pipe"), 1L), 10);
        failed(DeliveryException.ofClaim(new IllegalStateException("shutting down"), 1L), 15);
        assertThat(logged.all())
                .hasSize(2)
                .last(STRING)
                .startsWith("OBX-0409")
                .contains("for 5 s, 2 times:")
                .endsWith("read-only transaction.");
        failed(DeliveryException.ofClaim(new IllegalStateException("read-only transaction"), 1L), 65);
        assertThat(logged.all()).hasSize(3);

        resumed();
        failed(FAILURE, 100);
        failed(DeliveryException.ofClaim(new IllegalStateException("read-only transaction"), 1L), 105);
        assertThat(logged.all()).hasSize(6).last(STRING).startsWith("OBX-0409");
    }

    /** An operator must act on a refusal, so it has a line of its own after an outage too. */
    @Test
    void refusalIsReportedOnceAndAgainAfterAnotherFailure() {
        failed(FAILURE, 0);
        failed(refusal("no XA for 1"), 5);
        failed(refusal("no XA for 2"), 35);
        assertThat(logged.all()).hasSize(2).last(STRING).startsWith("OBX-0403").contains("no XA for 1");
        failed(refusal("no XA for 3"), 65);
        assertThat(logged.all())
                .hasSize(3)
                .last(STRING)
                .startsWith("OBX-0409")
                .contains("for 1 min 5 s", "no XA for 3");

        failed(FAILURE, 70);
        failed(refusal("no XA for 3"), 75);
        assertThat(logged.all()).hasSize(4).last(STRING).startsWith("OBX-0403").contains("no XA for 3");

        resumed();
        failed(refusal("no XA for 3"), 80);
        assertThat(logged.all()).hasSize(6).last(STRING).startsWith("OBX-0403").contains("no XA for 3");
    }

    /** A hundred lines of the container's calls hide the line that says what to do. */
    @Test
    void stackTraceIsOnlyOfAFailureWithoutAnExplanation() {
        failed(new Exception("rolled back", new PublishException(Blame.DESTINATION, "OBX-0502: no broker", null)), 0);
        resumed();
        failed(new Exception("rolled back", OutboxCode.DATABASE_FAILED.exception("the claim", "is away")), 10);
        assertThat(logged.traces()).isEmpty();

        resumed();
        failed(FAILURE, 20);
        assertThat(logged.traces()).containsExactly(FAILURE);
    }

    /** The container's transaction wraps what a rollback was caused by. */
    @Test
    void fullDestinationIsNamedAfterARollbackToo() {
        PublishException full = new PublishException(Blame.DESTINATION_FULL, "no room", null);

        failed(DeliveryException.ofClaim(new Exception("rolled back", full), 1L), 0);

        assertThat(logged.all()).singleElement(STRING).startsWith("OBX-0418").contains("no room");
    }

    private static Throwable refusal(String reason) {
        return DeliveryException.refused(reason, new IllegalStateException());
    }

    private void failed(Throwable failure, int second) {
        failures++;
        log.failed(failure, failures, Duration.ofSeconds(second).toNanos());
    }

    private void resumed() {
        log.resumed(failures);
        failures = 0;
    }
}
