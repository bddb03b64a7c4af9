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
        threads.end(run, null);
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

        threads.end(run, null);
        assertThat(report).isEmpty();
        assertThat(threads.isOnlyThread()).isTrue();
        threads.end(run, null);
        assertThat(report).as("by the last one").hasSize(1);
    }

    /** Otherwise several threads would count one outage several times. */
    @Test
    void firstFailureEndsTheRunAndOnlyItIsReported() {
        IllegalStateException first = new IllegalStateException();
        WorkerThreads.Run run = threads.begin(3);
        threads.begin(3);
        threads.begin(3);
        assertThat(run.hasFailed()).isFalse();

        threads.end(run, first);
        assertThat(run.hasFailed()).isTrue();
        assertThat(report).as("at once").containsExactly(first);

        threads.end(run, new IllegalStateException("second"));
        threads.end(run, null);
        assertThat(report).containsExactly(first);
    }

    /** Two of three threads hang when the third one fails. */
    @Test
    void nextRunDoesNotWaitForThreadsOfAFailedOneButLeavesThemTheirPlaces() {
        WorkerThreads.Run run = threads.begin(3);
        threads.begin(3);
        threads.begin(3);
        threads.delivered();
        threads.end(run, new IllegalStateException());
        report.clear();
        assertThat(threads.hasDelivered()).isFalse();
        assertThat(threads.join(3)).as("the run is over").isNull();

        WorkerThreads.Run next = threads.begin(3);
        assertThat(next).isNotSameAs(run);
        assertThat(next.hasFailed()).isFalse();
        assertThat(threads.begin(3)).as("two still hang").isNull();
        assertThat(threads.isOnlyThread()).isFalse();

        threads.end(run, new IllegalStateException("too late"));
        assertThat(next.hasFailed()).isFalse();
        assertThat(report).isEmpty();
        assertThat(threads.begin(3)).isSameAs(next);
        threads.end(next, null);
        assertThat(report).as("one is left").isEmpty();
        threads.end(next, null);
        assertThat(report).as("without the hanging one").hasSize(1);
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
        threads.end(relief, null);
        assertThat(report).as("the one that hangs is not waited for").hasSize(1);
        assertThat(threads.isStalled(1300, 100)).isTrue();
        assertThat(threads.begin(1)).as("with one thread none is left").isNull();
        assertThat(threads.isStalled(1400, 100)).isFalse();

        threads.timerCalled(1450);
        threads.begin(2);
        assertThat(threads.isStalled(1600, 100)).isFalse();
    }

    @Test
    void failureOfAStalledRunIsReportedOnceAndDoesNotEndTheNextOne() {
        threads.timerCalled(0);
        WorkerThreads.Run run = threads.begin(3);
        threads.begin(3);
        assertThat(threads.isStalled(200, 100)).isTrue();
        WorkerThreads.Run relief = threads.begin(3);

        threads.end(run, new IllegalStateException("late"));
        threads.end(run, new IllegalStateException("later"));

        assertThat(report).singleElement().extracting(Throwable::getMessage).isEqualTo("late");
        assertThat(relief.hasFailed()).isFalse();
        assertThat(threads.begin(2)).isSameAs(relief);
    }

    @Test
    void endOfAStalledRunSaysNothingOfTheNextOne() {
        threads.timerCalled(0);
        WorkerThreads.Run run = threads.begin(2);
        assertThat(threads.isStalled(200, 100)).isTrue();

        threads.end(run, null);

        assertThat(report).isEmpty();
    }

    /** As when the memory is exhausted for a second time: the report itself fails. */
    @Test
    void runWhoseEndCannotBeReportedIsOver() {
        cannotBeReported = true;
        WorkerThreads.Run run = threads.begin(1);
        assertThatThrownBy(() -> threads.end(run, new IllegalStateException())).hasMessage("not told");

        WorkerThreads.Run next = threads.begin(1);
        assertThat(next.hasFailed()).isFalse();
        assertThatThrownBy(() -> threads.end(next, null)).hasMessage("not told");
        assertThat(threads.begin(1)).isNotNull();
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
        threads.end(run, null);
        assertThat(threads.wantsThread()).isTrue();
    }

    private void report(Throwable failure) {
        if (cannotBeReported) {
            throw new OutOfMemoryError("not told");
        }
        report.add(failure);
    }
}
