package dev.cdioutbox.internal.dispatch.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

/** Guards how the threads of a worker join, leave and hand over a run. */
class WorkerThreadsTest {
    private final List<Throwable> report = new ArrayList<>();
    private final WorkerThreads threads = new WorkerThreads(this::report);
    private boolean cannotBeReported;

    @Test
    void firstRequestStartsARunThatTakesTheNextRequestsToo() {
        assertThat(threads.requestRun()).isTrue();
        assertThat(threads.requestRun()).isFalse();

        threads.runRequestTaken();
        assertThat(threads.isRunRequested()).isFalse();
        assertThat(threads.requestRun()).isTrue();
    }

    @Test
    void requestDuringARunStartsNothingButIsRemembered() {
        threads.begin(1);
        threads.runRequestTaken();

        assertThat(threads.requestRun()).isFalse();
        assertThat(threads.isRunRequested()).isTrue();
    }

    @Test
    void onlyOneIsIn() {
        WorkerThreads.Run run = threads.begin(1);
        assertThat(threads.begin(1)).isNull();
        threads.end(run, null, 0);
        assertThat(threads.begin(1)).isNotNull();
    }

    @Test
    void asManyAreInAsMayBe() {
        WorkerThreads.Run run = threads.begin(2);
        assertThat(threads.requestRun()).as("there is room for one more").isTrue();
        assertThat(threads.begin(2)).isSameAs(run);
        assertThat(threads.begin(2)).isNull();
        threads.runRequestTaken();
        assertThat(threads.requestRun()).isFalse();

        threads.end(run, null, 0);
        assertThat(report).isEmpty();
        assertThat(threads.isOnlyThread()).isTrue();
        threads.end(run, null, 0);
        assertThat(report).as("by the last one").hasSize(1);
    }

    @Test
    void failedRunTakesNoMoreThreadsAndIsForgottenByTheNext() {
        IllegalStateException first = new IllegalStateException();
        WorkerThreads.Run run = threads.begin(3);
        threads.begin(3);
        threads.end(run, first, 0);

        assertThat(threads.begin(3)).isNull();
        threads.end(run, new IllegalStateException("second"), 0);
        assertThat(report).containsExactly(first);

        assertThat(threads.begin(3).failure()).isNull();
    }

    /** Two of three threads hang when the third one fails. */
    @Test
    void runThatFailedIsOverWithoutThoseThatHang() {
        IllegalStateException failure = new IllegalStateException();
        WorkerThreads.Run run = threads.begin(3);
        threads.begin(3);
        threads.begin(3);
        threads.end(run, failure, 100);

        threads.detachStalledThreads(149, 50);
        assertThat(report).isEmpty();
        assertThat(threads.begin(3)).isNull();
        threads.detachStalledThreads(150, 50);
        assertThat(report).containsExactly(failure);

        WorkerThreads.Run next = threads.begin(3);
        assertThat(next.failure()).isNull();
        assertThat(threads.begin(3)).as("two still hang").isNull();
        assertThat(threads.isOnlyThread()).isFalse();

        threads.end(run, new IllegalStateException("too late"), 200);
        assertThat(next.failure()).isNull();
        assertThat(threads.begin(3)).isSameAs(next);
        threads.end(run, null, 200);
        assertThat(threads.begin(3)).isSameAs(next);
        assertThat(report).hasSize(1);
    }

    @Test
    void workerWhoseTimerIsMissedTwiceIsStalledOncePerIntervalWhileAThreadIsFree() {
        threads.timerCalled(1000);
        WorkerThreads.Run run = threads.begin(2);
        assertThat(threads.isStalled(1199, 100)).isFalse();
        assertThat(threads.isStalled(1200, 100)).isTrue();
        assertThat(threads.isStalled(1299, 100)).isFalse();

        WorkerThreads.Run relief = threads.begin(2);
        assertThat(relief).isNotSameAs(run);
        assertThat(threads.isStalled(1300, 100)).as("no room").isFalse();
        threads.end(relief, null, 1300);
        assertThat(report).as("the one that hangs is not waited for").hasSize(1);
        assertThat(threads.isStalled(1300, 100)).isTrue();
        assertThat(threads.begin(1)).as("with one thread none is left").isNull();
        assertThat(threads.isStalled(1400, 100)).isFalse();

        threads.timerCalled(1450);
        threads.begin(2);
        assertThat(threads.isStalled(1600, 100)).isFalse();
    }

    /** When the run was detached, no failure was known yet. */
    @Test
    void failureOfADetachedRunIsReportedOnce() {
        threads.timerCalled(0);
        WorkerThreads.Run run = threads.begin(3);
        threads.begin(3);
        assertThat(threads.isStalled(200, 100)).isTrue();

        threads.end(run, new IllegalStateException("late"), 300);
        threads.end(run, new IllegalStateException("later"), 300);

        assertThat(report).singleElement().extracting(Throwable::getMessage).isEqualTo("late");
        assertThat(threads.begin(1)).isNotNull();
    }

    /** One thread met the failure; the other one hangs, so the run would never end and report it. */
    @Test
    void failureInAStalledRunIsReportedAtOnce() {
        threads.timerCalled(0);
        WorkerThreads.Run run = threads.begin(3);
        threads.begin(3);
        threads.end(run, new IllegalStateException("met"), 190);
        assertThat(report).isEmpty();

        assertThat(threads.isStalled(200, 100)).isTrue();
        assertThat(report).singleElement().extracting(Throwable::getMessage).isEqualTo("met");

        threads.end(run, null, 300);
        assertThat(report).as("a second time").hasSize(1);
    }

    /** As when the memory is exhausted for a second time: the report itself fails. */
    @Test
    void runWhoseEndCannotBeReportedIsOver() {
        cannotBeReported = true;
        WorkerThreads.Run run = threads.begin(1);
        assertThatThrownBy(() -> threads.end(run, new IllegalStateException(), 0))
                .hasMessage("not told");

        WorkerThreads.Run next = threads.begin(1);
        assertThat(next.failure()).isNull();
        next.failed(new IllegalStateException(), 0);
        assertThatThrownBy(() -> threads.detachStalledThreads(50, 50)).hasMessage("not told");
        cannotBeReported = false;
        assertThat(threads.begin(1)).as("one hangs").isNull();
        assertThat(threads.begin(2)).isNotNull();
        threads.end(next, null, 60);
        assertThat(threads.begin(2)).isNotNull();
    }

    @Test
    void hangingBatchWithoutAFailureStaysInItsRun() {
        WorkerThreads.Run run = threads.begin(2);
        threads.detachStalledThreads(1000, 50);

        assertThat(threads.begin(2)).isSameAs(run);
        assertThat(report).isEmpty();
    }

    @Test
    void helpThatComesTooLateBeginsNothing() {
        assertThat(threads.join(2)).isNull();
        threads.begin(2);
        assertThat(threads.join(2)).isNotNull();
        assertThat(threads.join(2)).as("no room").isNull();
    }

    @Test
    void helpIsWantedOnceABatchGotThroughAndOnceUntilItComes() {
        threads.begin(2);
        assertThat(threads.wantsThread()).as("it may be an outage").isFalse();
        threads.delivered();
        assertThat(threads.wantsThread()).isTrue();
        assertThat(threads.wantsThread()).isFalse();

        WorkerThreads.Run run = threads.begin(2);
        assertThat(threads.wantsThread()).as("no room").isFalse();
        threads.end(run, null, 0);
        assertThat(threads.wantsThread()).isTrue();
    }

    private void report(Throwable failure) {
        if (cannotBeReported) {
            throw new OutOfMemoryError("not told");
        }
        report.add(failure);
    }
}
