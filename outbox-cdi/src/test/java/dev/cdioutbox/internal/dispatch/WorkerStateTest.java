package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.dispatch.TurnResult.Found.DELIVERED;
import static dev.cdioutbox.internal.dispatch.TurnResult.Found.LOCKED;
import static dev.cdioutbox.internal.dispatch.TurnResult.Found.NOTHING;
import static dev.cdioutbox.internal.store.claim.PartitionRange.ALL;
import static dev.cdioutbox.internal.store.claim.PartitionRange.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Function;

import dev.cdioutbox.internal.dispatch.TurnResult.Found;
import dev.cdioutbox.internal.dispatch.WorkerState.Decision;
import dev.cdioutbox.internal.dispatch.WorkerState.Turn;
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

    /** What the only thread of a worker does after a turn in all partitions that left something. */
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
    void afterATurn(Found found, String left, int fruitless, boolean isOver, boolean goesOn, boolean startsAnother) {
        Turn first = poll();
        Turn turn = new Turn(first.thread(), first.range(), first.after(), fruitless);

        Decision decision = finish(turn, found, left.equals("ALL") ? ALL : NONE, isOver);

        assertThat(decision.turn() != null).as("goes on").isEqualTo(goesOn);
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
        Turn turn = new Turn(0, SOME, 0, 0);

        PartitionRange again = TurnResult.delivered(turn, isDone, isAlone, foundLocked, released, null)
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
        TurnResult result = TurnResult.nothing(new Turn(0, SOME, 0, 0), foundLocked, isAlone);

        assertThat(result).isEqualTo(new TurnResult(found, found == LOCKED ? SOME : NONE, null));
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
    void commitDuringTheLastTurnIsLookedFor() {
        Turn turn = poll();
        wake(SOME);

        assertThat(finish(turn, NOTHING, NONE, false).turn().range()).isEqualTo(SOME);
    }

    @Test
    void asManyThreadsWorkAsMayBeAndWhatTheOthersCameForIsNotLost() {
        Turn one = poll();
        assertThat(poll()).isNotNull();
        assertThat(poll()).as("no room").isNull();

        assertThat(finish(one, NOTHING, NONE, false).turn().range()).isEqualTo(ALL);
    }

    @Test
    void threadThatFindsPartitionsLockedLeavesThemToTheOneThatHasThem() {
        Turn holder = poll();
        wake(SOME);
        Turn refused = arrive();

        assertThat(finish(refused, LOCKED, SOME, false).turn()).isNull();
        assertThat(finish(holder, DELIVERED, NONE, false).turn().range()).isEqualTo(SOME);
    }

    /** Otherwise what has come to its partitions while it sent would wait for a poll. */
    @ParameterizedTest
    @ValueSource(strings = {"succeeds", "fails"})
    void lockedRangeIsLeftToAThreadOfAFailedRunToo(String end) {
        Turn late = poll();
        fail(poll());
        finish(poll(), DELIVERED, NONE, false);
        wake(SOME);
        assertThat(finish(arrive(), LOCKED, SOME, false).turn()).isNull();

        assertThat((end.equals("fails") ? fail(late) : finish(late, DELIVERED, NONE, false)).startThread())
                .isTrue();
        assertThat(arrive().range()).isEqualTo(SOME);
    }

    /** Otherwise all threads would meet an outage at the same time. */
    @Test
    void secondThreadComesOnlyAfterABatchGotThrough() {
        Turn turn = poll();
        assertThat(decide(now -> now.claimed(turn, 4, true, MOST)).startThread())
                .isFalse();

        Turn next = finish(turn, DELIVERED, ALL, false).turn();
        assertThat(next.after()).isEqualTo(4);
        assertThat(decide(now -> now.claimed(next, 8, false, MOST)).startThread())
                .as("nothing is left")
                .isFalse();
        assertThat(decide(now -> now.claimed(next, 8, true, MOST)).startThread())
                .isTrue();
        assertThat(arrive().after()).as("behind the batch of the first one").isEqualTo(8);
    }

    @Test
    void wakeUpDoesNotChangeTheTurnOfTheOtherPartitions() {
        wake(SOME);
        Turn turn = arrive();
        decide(now -> now.claimed(turn, 4, false, MOST));

        assertThat(state.after()).isZero();
    }

    @Test
    void firstFailureOfARunCountsAndEndsIt() {
        Turn one = poll();
        Turn two = poll();
        fail(one);
        assertThat(state.threads().failures()).isEqualTo(1);
        assertThat(state.isFailing()).isTrue();

        wake(SOME);
        assertThat(finish(two, DELIVERED, ALL, false)).isEqualTo(new Decision(state, false, null));
        assertThat(state.threads().failures())
                .as("says nothing about the next run")
                .isEqualTo(1);

        Turn third = poll();
        Turn late = poll();
        fail(third);
        fail(late);
        assertThat(state.threads().failures()).isEqualTo(2);
    }

    @Test
    void onlyTheTimerIsHeardDuringAnOutage() {
        wake(SOME);
        Turn turn = poll();
        wake(SOME);
        fail(turn);

        assertThat(arrive()).as("came too late").isNull();
        assertThat(wake(SOME).startThread()).isFalse();
        assertThat(poll().range()).isEqualTo(ALL);
    }

    @Test
    void runSucceedsWithItsLastThread() {
        fail(poll());
        Turn one = poll();
        Turn two = poll();
        finish(one, NOTHING, NONE, false);
        assertThat(state.threads().failures()).isEqualTo(1);

        finish(two, DELIVERED, NONE, false);
        assertThat(state.threads().failures()).isZero();
    }

    /** A run that a disabled dispatcher ends says nothing about the destination. */
    @Test
    void threadThatMustNotBeginLeavesItsRangeAndTheFailures() {
        fail(poll());
        Turn turn = poll();
        decide(now -> now.withdrawn(turn));

        assertThat(state.threads().failures()).isEqualTo(1);
        assertThat(state.pending()).isEqualTo(ALL);
        assertThat(state.threads().count()).isZero();
    }

    /** If both left, the change would wait for a poll. */
    @Test
    void ofThreadsThatMustNotBeginBesideOthersTheLastOneStays() {
        Turn one = poll();
        Turn two = poll();

        assertThat(decide(now -> now.alone(one)).turn()).isNull();
        assertThat(decide(now -> now.alone(two)).turn()).isEqualTo(two);
        assertThat(state.pending()).as("the range of the one that left").isEqualTo(ALL);
    }

    /** Two of three threads hang when the third one fails. */
    @Test
    void hangingThreadsCountAsThreadsButNotInTheNextRun() {
        Turn hanging = poll();
        fail(poll());
        Turn next = poll();
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
        Turn one = poll();
        Turn two = poll();
        check(2 * INTERVAL);
        fail(one);
        fail(two);
        assertThat(state.threads().failures()).isEqualTo(1);

        Turn hanging = poll();
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

    private Turn poll() {
        return decide(now -> now.polled(MOST, 0)).turn();
    }

    private Turn arrive() {
        return decide(now -> now.arrived(MOST)).turn();
    }

    private Decision wake(PartitionRange range) {
        return decide(now -> now.woken(range, MOST));
    }

    private Decision fail(Turn turn) {
        return decide(now -> now.failed(turn, null));
    }

    private boolean check(long now) {
        return decide(state -> state.checked(now, INTERVAL, MOST)).startThread();
    }

    private Decision finish(Turn turn, Found found, PartitionRange left, boolean isOver) {
        return decide(now -> now.finished(turn, new TurnResult(found, left, null), isOver, MOST, ROUNDS));
    }
}
