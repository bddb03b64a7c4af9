package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.dispatch.CycleResult.Found.DELIVERED;
import static dev.cdioutbox.internal.dispatch.CycleResult.Found.LOCKED;
import static dev.cdioutbox.internal.dispatch.CycleResult.Found.NOTHING;
import static dev.cdioutbox.internal.store.claim.PartitionRange.ALL;
import static dev.cdioutbox.internal.store.claim.PartitionRange.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Function;

import dev.cdioutbox.internal.dispatch.CycleResult.Found;
import dev.cdioutbox.internal.dispatch.WorkerState.Cycle;
import dev.cdioutbox.internal.dispatch.WorkerState.Decision;
import dev.cdioutbox.internal.store.claim.PartitionRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The cases of {@link WorkerState}'s decisions. {@code WorkerStateModelTest} tries them in every order. */
class WorkerStateTest {
    private static final int MOST = 2;
    private static final int ROUNDS = 3;
    private static final PartitionRange SOME = new PartitionRange(3, 5);
    private static final long INTERVAL = 10;

    private WorkerState state = WorkerState.idle(0);

    /** What the only thread of a worker does after a cycle in all partitions that left something. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            # found,     left, fruitless, over,  goes on, another thread
            NOTHING,     NONE, 0,         false, false,   false
            NOTHING,     NONE, 0,         true,  false,   false
            LOCKED,      ALL,  0,         false, true,    false
            LOCKED,      ALL,  0,         true,  true,    false
            LOCKED,      ALL,  1,         false, false,   false
            WAITING,     ALL,  0,         false, true,    false
            WAITING,     ALL,  0,         true,  true,    false
            WAITING,     ALL,  1,         true,  true,    false
            WAITING,     ALL,  2,         false, false,   false
            MOVED,       ALL,  2,         false, true,    false
            MOVED,       ALL,  0,         true,  false,   true
            DELIVERED,   ALL,  2,         false, true,    false
            DELIVERED,   ALL,  0,         true,  false,   true
            DELIVERED,   NONE, 0,         false, false,   false
            DELIVERED,   NONE, 0,         true,  false,   false""")
    void afterACycle(Found found, String left, int fruitless, boolean isOver, boolean goesOn, boolean startsAnother) {
        Cycle first = poll();
        Cycle cycle = new Cycle(first.thread(), first.range(), first.after(), fruitless, false);

        Decision decision = finish(cycle, found, left.equals("ALL") ? ALL : NONE, isOver);

        assertThat(decision.cycle() != null).as("goes on").isEqualTo(goesOn);
        assertThat(decision.startThread()).as("another thread").isEqualTo(startsAnother);
        assertThat(state.threads().count()).isEqualTo(goesOn ? 1 : 0);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            # done, alone, found locked, looks again
            false,  true,  false,        ALL
            false,  false, true,         ALL
            true,   false, false,        RELEASED
            true,   false, true,         RELEASED
            true,   true,  true,         RANGE
            true,   true,  false,        NONE""")
    void whereABatchMayHaveLeftSomething(boolean isDone, boolean isAlone, boolean foundLocked, String expected) {
        PartitionRange released = new PartitionRange(4, 4);
        Cycle cycle = new Cycle(0, SOME, 0, 0, false);

        PartitionRange again = CycleResult.delivered(cycle, isDone, isAlone, foundLocked, released, null)
                .again();

        assertThat(again)
                .isEqualTo(
                        switch (expected) {
                            case "ALL" -> ALL;
                            case "RELEASED" -> released;
                            case "RANGE" -> SOME;
                            default -> NONE;
                        });
    }

    @ParameterizedTest
    @CsvSource({"true, true, LOCKED", "true, false, NOTHING", "false, true, NOTHING"})
    void onlyThreadsOfALoneNodeAreWaitedFor(boolean foundLocked, boolean isAlone, Found found) {
        CycleResult result = CycleResult.nothing(new Cycle(0, SOME, 0, 0, false), foundLocked, isAlone);

        assertThat(result).isEqualTo(new CycleResult(found, found == LOCKED ? SOME : NONE, null));
    }

    @Test
    void wakeUpStartsOneThreadForAnyNumberOfCommits() {
        assertThat(wake(SOME).startThread()).isTrue();
        assertThat(wake(new PartitionRange(7, 8)).startThread())
                .as("until it has come")
                .isFalse();

        assertThat(arrive().range()).isEqualTo(new PartitionRange(3, 8));
        assertThat(wake(SOME).startThread()).as("the first one may hang").isTrue();
    }

    @Test
    void commitDuringTheLastCycleIsLookedFor() {
        Cycle cycle = poll();
        wake(SOME);

        assertThat(finish(cycle, NOTHING, NONE, false).cycle().range()).isEqualTo(SOME);
    }

    @Test
    void asManyThreadsWorkAsMayBeAndWhatTheOthersCameForIsNotLost() {
        Cycle one = poll();
        assertThat(poll()).isNotNull();
        assertThat(poll()).as("no room").isNull();

        assertThat(finish(one, NOTHING, NONE, false).cycle().range()).isEqualTo(ALL);
    }

    @Test
    void threadThatFindsPartitionsLockedLeavesThemToTheOneThatHasThem() {
        Cycle holder = poll();
        wake(SOME);
        Cycle refused = arrive();

        assertThat(finish(refused, LOCKED, SOME, false).cycle()).isNull();
        assertThat(finish(holder, DELIVERED, NONE, false).cycle().range()).isEqualTo(SOME);
    }

    /** Otherwise what has come to its partitions while it sent would wait for a poll. */
    @ParameterizedTest
    @ValueSource(strings = {"succeeds", "fails"})
    void lockedRangeIsLeftToAThreadOfAFailedRunToo(String end) {
        Cycle late = poll();
        fail(poll());
        finish(poll(), DELIVERED, NONE, false);
        wake(SOME);
        assertThat(finish(arrive(), LOCKED, SOME, false).cycle()).isNull();

        assertThat((end.equals("fails") ? fail(late) : finish(late, DELIVERED, NONE, false)).startThread())
                .isTrue();
        assertThat(arrive().range()).isEqualTo(SOME);
    }

    /** Otherwise all threads would meet an outage at the same time. */
    @Test
    void secondThreadComesOnlyAfterABatchGotThrough() {
        Cycle cycle = poll();
        assertThat(decide(now -> now.claimed(cycle, 4, true, MOST)).startThread())
                .isFalse();

        Cycle next = finish(cycle, DELIVERED, ALL, false).cycle();
        assertThat(next.after()).isEqualTo(4);
        assertThat(decide(now -> now.claimed(next, 8, false, MOST)).startThread())
                .as("nothing is left")
                .isFalse();
        assertThat(decide(now -> now.claimed(next, 8, true, MOST)).startThread())
                .isTrue();
        assertThat(arrive().after()).as("behind the batch of the first one").isEqualTo(8);
    }

    @Test
    void wakeUpDoesNotChangeTheCycleOfTheOtherPartitions() {
        wake(SOME);
        Cycle cycle = arrive();
        decide(now -> now.claimed(cycle, 4, false, MOST));

        assertThat(state.after()).isZero();
    }

    @Test
    void firstFailureOfARunCountsAndEndsIt() {
        Cycle one = poll();
        Cycle two = poll();
        fail(one);
        assertThat(state.threads().failures()).isEqualTo(1);
        assertThat(state.isFailing()).isTrue();

        wake(SOME);
        assertThat(finish(two, DELIVERED, ALL, false)).isEqualTo(new Decision(state, false, null));
        assertThat(state.threads().failures())
                .as("says nothing about the next run")
                .isEqualTo(1);

        Cycle third = poll();
        Cycle late = poll();
        fail(third);
        fail(late);
        assertThat(state.threads().failures()).isEqualTo(2);
    }

    @Test
    void onlyTheTimerIsHeardDuringAnOutage() {
        wake(SOME);
        Cycle cycle = poll();
        wake(SOME);
        fail(cycle);

        assertThat(arrive()).as("came too late").isNull();
        assertThat(wake(SOME).startThread()).isFalse();
        assertThat(poll().range()).isEqualTo(ALL);
    }

    @Test
    void runSucceedsWithItsLastThread() {
        fail(poll());
        Cycle one = poll();
        Cycle two = poll();
        finish(one, NOTHING, NONE, false);
        assertThat(state.threads().failures()).isEqualTo(1);

        finish(two, DELIVERED, NONE, false);
        assertThat(state.threads().failures()).isZero();
    }

    /** A run that a disabled dispatcher ends says nothing about the destination. */
    @Test
    void threadThatMustNotBeginLeavesItsRangeAndTheFailures() {
        fail(poll());
        Cycle cycle = poll();
        decide(now -> now.withdrawn(cycle));

        assertThat(state.threads().failures()).isEqualTo(1);
        assertThat(state.pending()).isEqualTo(ALL);
        assertThat(state.threads().count()).isZero();
    }

    /** If both left, the change would wait for a poll. */
    @Test
    void ofThreadsThatMustNotBeginBesideOthersTheLastOneStays() {
        Cycle one = poll();
        Cycle two = poll();

        assertThat(decide(now -> now.alone(one)).cycle()).isNull();
        assertThat(decide(now -> now.alone(two)).cycle()).isEqualTo(two);
        assertThat(state.pending()).as("the range of the one that left").isEqualTo(ALL);
    }

    /** Two of three threads hang when the third one fails. */
    @Test
    void hangingThreadsCountAsThreadsButNotInTheNextRun() {
        Cycle hanging = poll();
        fail(poll());
        Cycle next = poll();
        assertThat(poll()).as("no room beside the hanging one").isNull();

        fail(hanging);
        assertThat(state.threads().failures()).isEqualTo(1);
        finish(next, NOTHING, NONE, true);
        assertThat(state.threads().failures()).isZero();
    }

    @Test
    void timerWhoseThreadHangsIsReplacedOncePerInterval() {
        poll();
        assertThat(check(2 * INTERVAL - 1)).isFalse();
        assertThat(check(2 * INTERVAL)).isTrue();
        assertThat(check(2 * INTERVAL + 1)).as("asked for").isFalse();
        assertThat(check(3 * INTERVAL)).isTrue();

        poll();
        assertThat(check(9 * INTERVAL)).as("no room").isFalse();
    }

    /** For example a connect that times out after twenty seconds, with another thread in its place since ten. */
    @Test
    void failureOfAHangingThreadThatWasReplacedCountsOnce() {
        Cycle one = poll();
        Cycle two = poll();
        check(2 * INTERVAL);
        fail(one);
        fail(two);
        assertThat(state.threads().failures()).isEqualTo(1);

        Cycle hanging = poll();
        check(2 * INTERVAL);
        finish(poll(), NOTHING, NONE, false);
        assertThat(state.threads().failures()).as("has sent nothing").isEqualTo(1);
        fail(hanging);
        assertThat(state.threads().failures()).isEqualTo(2);
    }

    @Test
    void runSucceedsBesideAHangingThreadWithABatch() {
        fail(poll());
        poll();
        check(2 * INTERVAL);
        finish(poll(), DELIVERED, NONE, false);

        assertThat(state.threads().failures()).isZero();
    }

    private Decision decide(Function<WorkerState, Decision> event) {
        Decision decision = event.apply(state);
        state = decision.state();
        return decision;
    }

    private Cycle poll() {
        return decide(now -> now.polled(MOST, 0)).cycle();
    }

    private Cycle arrive() {
        return decide(now -> now.arrived(MOST)).cycle();
    }

    private Decision wake(PartitionRange range) {
        return decide(now -> now.woken(range, MOST));
    }

    private Decision fail(Cycle cycle) {
        return decide(now -> now.failed(cycle, null));
    }

    private boolean check(long now) {
        return decide(state -> state.checked(now, INTERVAL, MOST)).startThread();
    }

    private Decision finish(Cycle cycle, Found found, PartitionRange left, boolean isOver) {
        return decide(now -> now.finished(cycle, new CycleResult(found, left, null), isOver, MOST, ROUNDS));
    }
}
