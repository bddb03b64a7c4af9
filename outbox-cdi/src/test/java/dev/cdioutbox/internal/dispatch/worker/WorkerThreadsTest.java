package dev.cdioutbox.internal.dispatch.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.DispatchScene;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.problem.LogLines;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Guards how the threads of a worker join, leave and hand over a run, and how the outcomes of runs count. */
class WorkerThreadsTest {
    private final AtomicLong clock = new AtomicLong();
    private OutboxConfig config = DispatchScene.config();
    private final WorkerThreads threads = new WorkerThreads(
            "default", new Environment(null, null, null, null, () -> config, () -> false, clock::get, List.of()));

    @AutoClose
    private final LogLines logged = new LogLines(FailureLog.class.getName());

    @Test
    void firstRequestStartsARunThatTakesTheNextRequestsToo() {
        assertThat(threads.requestRun()).isTrue();
        assertThat(threads.requestRun()).isFalse();

        threads.takeRunRequest();
        assertThat(threads.isRunRequested()).isFalse();
        assertThat(threads.requestRun()).isTrue();
    }

    @Test
    void requestDuringARunStartsNothingButIsRemembered() {
        threads.begin(1);
        threads.takeRunRequest();

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
        failOnce();
        WorkerThreads.Run run = threads.begin(2);
        assertThat(threads.requestRun()).as("there is room for one more").isTrue();
        assertThat(threads.begin(2)).isSameAs(run);
        assertThat(threads.begin(2)).isNull();
        threads.takeRunRequest();
        assertThat(threads.requestRun()).isFalse();

        threads.end(run, null);
        assertThat(threads.failures()).isEqualTo(1);
        assertThat(threads.isOnlyThread()).isTrue();
        threads.end(run, null);
        assertThat(threads.failures()).as("the last one has succeeded too").isZero();
    }

    @Test
    void failuresAreCountedUntilARunSucceeds() {
        failOnce();
        failOnce();
        failOnce();
        assertThat(threads.failures()).isEqualTo(3);

        succeed();
        succeed();
        assertThat(threads.failures()).isZero();
        assertThat(logged.all()).hasSize(2).last(STRING).startsWith("OBX-0402").contains("3");
    }

    @Test
    void runOfADisabledDispatcherIsNoSuccess() {
        failOnce();
        config = DispatchScene.config("outbox.dispatcher.enabled", "false");

        succeed();

        assertThat(threads.failures()).isEqualTo(1);
    }

    @Test
    void workerRanRecentlyForAWhileAfterARun() {
        assertThat(threads.ranRecently(100)).isFalse();
        clock.set(1000);
        succeed();

        clock.set(1099);
        assertThat(threads.ranRecently(100)).isTrue();
        clock.set(1100);
        assertThat(threads.ranRecently(100)).isFalse();
        failOnce();
        assertThat(threads.ranRecently(100)).as("the container's own retry").isFalse();
        failOnce();
        clock.set(1199);
        assertThat(threads.ranRecently(100)).isTrue();
        clock.set(1200);
        assertThat(threads.ranRecently(100)).isFalse();
    }

    /** Otherwise several threads would count one outage several times. */
    @Test
    void firstFailureEndsTheRunAndOnlyItCounts() {
        WorkerThreads.Run run = threads.begin(3);
        threads.begin(3);
        threads.begin(3);
        assertThat(run.hasFailed()).isFalse();

        threads.end(run, new IllegalStateException("first"));
        assertThat(run.hasFailed()).isTrue();
        assertThat(threads.failures()).as("at once").isEqualTo(1);

        threads.end(run, new IllegalStateException("second"));
        threads.end(run, null);
        assertThat(threads.failures()).isEqualTo(1);
        assertThat(logged.all()).singleElement(STRING).contains("first");
    }

    /** Two of three threads hang when the third one fails. */
    @Test
    void nextRunDoesNotWaitForThreadsOfAFailedOneButLeavesThemTheirPlaces() {
        WorkerThreads.Run run = threads.begin(3);
        threads.begin(3);
        threads.begin(3);
        threads.delivered();
        threads.end(run, new IllegalStateException());
        assertThat(threads.hasDelivered()).isFalse();

        WorkerThreads.Run next = threads.begin(3);
        assertThat(next).isNotSameAs(run);
        assertThat(next.hasFailed()).isFalse();
        assertThat(threads.begin(3)).as("two still hang").isNull();
        assertThat(threads.isOnlyThread()).isFalse();

        threads.end(run, new IllegalStateException("too late"));
        assertThat(next.hasFailed()).isFalse();
        assertThat(threads.failures()).isEqualTo(1);
        assertThat(threads.begin(3)).isSameAs(next);
        threads.end(next, null);
        assertThat(threads.failures()).as("one is left").isEqualTo(1);
        threads.end(next, null);
        assertThat(threads.failures()).as("without the hanging one").isZero();
    }

    @Test
    void workerWhoseTimerIsMissedTwiceIsStalledOncePerIntervalWhileAThreadIsFree() {
        failOnce();
        clock.set(1000);
        threads.timerCalled();
        WorkerThreads.Run run = threads.begin(2);
        assertThat(isStalled(1199)).isFalse();
        assertThat(isStalled(1200)).isTrue();
        assertThat(isStalled(1299)).isFalse();

        WorkerThreads.Run relief = threads.begin(2);
        assertThat(relief).isNotSameAs(run);
        assertThat(isStalled(1300)).as("no room").isFalse();
        threads.end(relief, null);
        assertThat(threads.failures())
                .as("the one that hangs is not waited for")
                .isZero();
        assertThat(isStalled(1300)).isTrue();
        assertThat(threads.begin(1)).as("with one thread none is left").isNull();
        assertThat(isStalled(1400)).isFalse();

        clock.set(1450);
        threads.timerCalled();
        threads.begin(2);
        assertThat(isStalled(1600)).isFalse();
    }

    @Test
    void failureOfAStalledRunCountsOnceAndDoesNotEndTheNextOne() {
        WorkerThreads.Run run = threads.begin(3);
        threads.begin(3);
        assertThat(isStalled(200)).isTrue();
        WorkerThreads.Run relief = threads.begin(3);

        threads.end(run, new IllegalStateException("late"));
        threads.end(run, new IllegalStateException("later"));

        assertThat(threads.failures()).isEqualTo(1);
        assertThat(logged.all()).singleElement(STRING).contains("late");
        assertThat(relief.hasFailed()).isFalse();
        assertThat(threads.begin(2)).isSameAs(relief);
    }

    @Test
    void successOfAStalledRunSaysNothingOfTheNextOne() {
        failOnce();
        WorkerThreads.Run run = threads.begin(2);
        assertThat(isStalled(200)).isTrue();

        threads.end(run, null);

        assertThat(threads.failures()).isEqualTo(1);
    }

    /** As when the memory is exhausted for a second time: the report itself fails. */
    @Test
    void runWhoseEndCannotBeReportedIsOver() {
        WorkerThreads.Run run = threads.begin(1);
        Throwable failure = new IllegalStateException() {
            private static final long serialVersionUID = 1L;

            @Override
            public String getMessage() {
                throw new OutOfMemoryError("not told");
            }
        };
        assertThatThrownBy(() -> threads.end(run, failure)).hasMessage("not told");

        WorkerThreads.Run next = threads.begin(1);
        assertThat(next.hasFailed()).isFalse();
        config = null;
        assertThatThrownBy(() -> threads.end(next, null)).isInstanceOf(NullPointerException.class);
        assertThat(threads.begin(1)).isNotNull();
    }

    @Test
    void helpIsWantedOnceABatchGotThroughAndOnceUntilItComes() {
        threads.begin(2);
        assertThat(threads.requestThread()).as("it may be an outage").isFalse();
        threads.delivered();
        assertThat(threads.requestThread()).isTrue();
        assertThat(threads.requestThread()).isFalse();

        WorkerThreads.Run run = threads.begin(2);
        assertThat(threads.requestThread()).as("no room").isFalse();
        threads.end(run, null);
        assertThat(threads.requestThread()).isTrue();
    }

    private void failOnce() {
        threads.end(threads.begin(1), new IllegalStateException());
    }

    private void succeed() {
        WorkerThreads.Run run = threads.begin(1);
        run.claims(true);
        threads.end(run, null);
    }

    private boolean isStalled(long nanos) {
        clock.set(nanos);
        return threads.isStalled(100);
    }
}
