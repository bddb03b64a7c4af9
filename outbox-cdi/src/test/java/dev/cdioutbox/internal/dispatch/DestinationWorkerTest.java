package dev.cdioutbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

class DestinationWorkerTest {
    private final DestinationWorker worker = new DestinationWorker("default");
    private final List<Throwable> report = new ArrayList<>();

    @Test
    void firstRequestStartsARunThatTakesTheNextRequestsToo() {
        assertThat(worker.requestRun()).isTrue();
        assertThat(worker.requestRun()).isFalse();

        worker.runRequestTaken();
        assertThat(worker.isRunRequested()).isFalse();
        assertThat(worker.requestRun()).isTrue();
    }

    @Test
    void requestDuringARunStartsNothingButIsRemembered() {
        worker.beginThread(1);
        worker.runRequestTaken();

        assertThat(worker.requestRun()).isFalse();
        assertThat(worker.isRunRequested()).isTrue();
    }

    @Test
    void onlyOneIsIn() {
        WorkerRun run = worker.beginThread(1);
        assertThat(worker.beginThread(1)).isNull();
        worker.endThread(run, null, 0, report::add);
        assertThat(worker.beginThread(1)).isNotNull();
    }

    @Test
    void asManyAreInAsMayBe() {
        WorkerRun run = worker.beginThread(2);
        assertThat(worker.requestRun()).as("there is room for one more").isTrue();
        assertThat(worker.beginThread(2)).isSameAs(run);
        assertThat(worker.beginThread(2)).isNull();
        worker.runRequestTaken();
        assertThat(worker.requestRun()).isFalse();

        worker.endThread(run, null, 0, report::add);
        assertThat(report).isEmpty();
        assertThat(worker.isOnlyThread()).isTrue();
        worker.endThread(run, null, 0, report::add);
        assertThat(report).as("by the last one").hasSize(1);
    }

    @Test
    void failedRunTakesNoMoreThreadsAndIsForgottenByTheNext() {
        IllegalStateException first = new IllegalStateException();
        WorkerRun run = worker.beginThread(3);
        worker.beginThread(3);
        worker.endThread(run, first, 0, report::add);

        assertThat(worker.beginThread(3)).isNull();
        worker.endThread(run, new IllegalStateException("second"), 0, report::add);
        assertThat(report).containsExactly(first);

        assertThat(worker.beginThread(3).failure()).isNull();
    }

    /** Two of three hang when the third one fails. */
    @Test
    void runThatFailedIsOverWithoutThoseThatHang() {
        IllegalStateException failure = new IllegalStateException();
        WorkerRun run = worker.beginThread(3);
        worker.beginThread(3);
        worker.beginThread(3);
        worker.endThread(run, failure, 100, report::add);

        worker.detachStalledThreads(149, 50, report::add);
        assertThat(report).isEmpty();
        assertThat(worker.beginThread(3)).isNull();
        worker.detachStalledThreads(150, 50, report::add);
        assertThat(report).containsExactly(failure);

        WorkerRun next = worker.beginThread(3);
        assertThat(next.failure()).isNull();
        assertThat(worker.beginThread(3)).as("two still hang").isNull();
        assertThat(worker.isOnlyThread()).isFalse();

        worker.endThread(run, new IllegalStateException("too late"), 200, report::add);
        assertThat(next.failure()).isNull();
        assertThat(worker.beginThread(3)).isSameAs(next);
        worker.endThread(run, null, 200, report::add);
        assertThat(worker.beginThread(3)).isSameAs(next);
        assertThat(report).hasSize(1);
    }

    @Test
    void workerWhoseTimerIsMissedTwiceIsStalledOncePerIntervalWhileAThreadIsFree() {
        worker.timerCalled(1000);
        WorkerRun run = worker.beginThread(2);
        assertThat(worker.isStalled(1199, 100, report::add)).isFalse();
        assertThat(worker.isStalled(1200, 100, report::add)).isTrue();
        assertThat(worker.isStalled(1299, 100, report::add)).isFalse();

        WorkerRun relief = worker.beginThread(2);
        assertThat(relief).isNotSameAs(run);
        assertThat(worker.isStalled(1300, 100, report::add)).as("no room").isFalse();
        worker.endThread(relief, null, 1300, report::add);
        assertThat(report).as("the one that hangs is not waited for").hasSize(1);
        assertThat(worker.isStalled(1300, 100, report::add)).isTrue();
        assertThat(worker.beginThread(1)).as("with one thread none is left").isNull();
        assertThat(worker.isStalled(1400, 100, report::add)).isFalse();

        worker.timerCalled(1450);
        worker.beginThread(2);
        assertThat(worker.isStalled(1600, 100, report::add)).isFalse();
    }

    /** Which nobody was told of when the run was given up. */
    @Test
    void failureOfADetachedRunIsReportedOnce() {
        worker.timerCalled(0);
        WorkerRun run = worker.beginThread(3);
        worker.beginThread(3);
        assertThat(worker.isStalled(200, 100, report::add)).isTrue();

        worker.endThread(run, new IllegalStateException("late"), 300, report::add);
        worker.endThread(run, new IllegalStateException("later"), 300, report::add);

        assertThat(report).singleElement().extracting(Throwable::getMessage).isEqualTo("late");
        assertThat(worker.beginThread(1)).isNotNull();
    }

    /** What one thread has met, and the other one, whose hanging keeps the run from its end, would never tell. */
    @Test
    void failureInAStalledRunIsReportedAtOnce() {
        worker.timerCalled(0);
        WorkerRun run = worker.beginThread(3);
        worker.beginThread(3);
        worker.endThread(run, new IllegalStateException("met"), 190, report::add);
        assertThat(report).isEmpty();

        assertThat(worker.isStalled(200, 100, report::add)).isTrue();
        assertThat(report).singleElement().extracting(Throwable::getMessage).isEqualTo("met");

        worker.endThread(run, null, 300, report::add);
        assertThat(report).as("a second time").hasSize(1);
    }

    /** The second time that the memory is used up, say. */
    @Test
    void runWhoseEndCannotBeReportedIsOver() {
        WorkerRun run = worker.beginThread(1);
        assertThatThrownBy(() ->
                        worker.endThread(run, new IllegalStateException(), 0, DestinationWorkerTest::cannotBeReported))
                .hasMessage("not told");

        WorkerRun next = worker.beginThread(1);
        assertThat(next.failure()).isNull();
        next.failed(new IllegalStateException(), 0);
        assertThatThrownBy(() -> worker.detachStalledThreads(50, 50, DestinationWorkerTest::cannotBeReported))
                .hasMessage("not told");
        assertThat(worker.beginThread(1)).as("one hangs").isNull();
        assertThat(worker.beginThread(2)).isNotNull();
        worker.endThread(next, null, 60, report::add);
        assertThat(worker.beginThread(2)).isNotNull();
    }

    private static void cannotBeReported(Throwable failure) {
        throw new OutOfMemoryError("not told");
    }

    @Test
    void hangingBatchWithoutAFailureStaysInItsRun() {
        WorkerRun run = worker.beginThread(2);
        worker.detachStalledThreads(1000, 50, report::add);

        assertThat(worker.beginThread(2)).isSameAs(run);
        assertThat(report).isEmpty();
    }

    @Test
    void helpThatComesTooLateBeginsNothing() {
        assertThat(worker.joinRun(2)).isNull();
        worker.beginThread(2);
        assertThat(worker.joinRun(2)).isNotNull();
        assertThat(worker.joinRun(2)).as("no room").isNull();
    }

    @Test
    void helpIsWantedOnceABatchGotThroughAndOnceUntilItComes() {
        worker.beginThread(2);
        assertThat(worker.wantsThread()).as("it may be an outage").isFalse();
        worker.delivered();
        assertThat(worker.wantsThread()).isTrue();
        assertThat(worker.wantsThread()).isFalse();

        WorkerRun run = worker.beginThread(2);
        assertThat(worker.wantsThread()).as("no room").isFalse();
        worker.endThread(run, null, 0, report::add);
        assertThat(worker.wantsThread()).isTrue();
    }

    @Test
    void failedWorkerRestsUntilItsTimerCalls() {
        worker.failed(1);

        assertThat(worker.requestRun()).isFalse();
        assertThat(worker.isRunRequested()).isFalse();

        worker.succeeded(2);
        assertThat(worker.requestRun()).isTrue();
    }

    @Test
    void failuresAreCountedUntilARunSucceeds() {
        worker.failed(100);
        worker.failed(200);
        worker.failed(350);

        assertThat(worker.failures()).isEqualTo(3);
        assertThat(worker.failingFor(350)).isEqualTo(250);
        assertThat(worker.succeeded(400)).isEqualTo(3);
        assertThat(worker.failures()).isZero();
        assertThat(worker.succeeded(500)).isZero();
        worker.failed(600);
        assertThat(worker.failingFor(650)).isEqualTo(50);
    }

    @Test
    void lastingFailureIsReportedOncePerPeriod() {
        worker.failed(0);

        assertThat(worker.reportDue(59, 60)).isFalse();
        assertThat(worker.reportDue(60, 60)).isTrue();
        assertThat(worker.reportDue(119, 60)).isFalse();
        assertThat(worker.reportDue(120, 60)).isTrue();
    }

    @Test
    void workerRanRecentlyForAWhileAfterAGoodRun() {
        assertThat(worker.ranRecently(0, 100)).isFalse();
        worker.succeeded(1000);

        assertThat(worker.ranRecently(1099, 100)).isTrue();
        assertThat(worker.ranRecently(1100, 100)).isFalse();
        worker.failed(1050);
        assertThat(worker.ranRecently(1060, 100))
                .as("the container's own retry")
                .isFalse();
        worker.failed(1070);
        assertThat(worker.ranRecently(1080, 100)).isTrue();
        assertThat(worker.ranRecently(1170, 100)).isFalse();
    }
}
