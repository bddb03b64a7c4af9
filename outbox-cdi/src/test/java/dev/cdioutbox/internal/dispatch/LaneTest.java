package dev.cdioutbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

class LaneTest {
    private final Lane lane = new Lane("default");
    private final List<Throwable> told = new ArrayList<>();

    @Test
    void firstRingStartsARunAndTheNextOnesAreHeardByIt() {
        assertThat(lane.ring()).isTrue();
        assertThat(lane.ring()).isFalse();

        lane.heard();
        assertThat(lane.isRung()).isFalse();
        assertThat(lane.ring()).isTrue();
    }

    @Test
    void ringWhileSomebodyIsInStartsNothingButIsRemembered() {
        lane.enter(1);
        lane.heard();

        assertThat(lane.ring()).isFalse();
        assertThat(lane.isRung()).isTrue();
    }

    @Test
    void onlyOneIsIn() {
        Run run = lane.enter(1);
        assertThat(lane.enter(1)).isNull();
        lane.leave(run, null, 0, told::add);
        assertThat(lane.enter(1)).isNotNull();
    }

    @Test
    void asManyAreInAsMayBe() {
        Run run = lane.enter(2);
        assertThat(lane.ring()).as("there is room for one more").isTrue();
        assertThat(lane.enter(2)).isSameAs(run);
        assertThat(lane.enter(2)).isNull();
        lane.heard();
        assertThat(lane.ring()).isFalse();

        lane.leave(run, null, 0, told::add);
        assertThat(told).isEmpty();
        assertThat(lane.isAlone()).isTrue();
        lane.leave(run, null, 0, told::add);
        assertThat(told).as("by the last one").hasSize(1);
    }

    @Test
    void runInWhichOneFailedTakesNobodyInAndIsForgottenByTheNext() {
        IllegalStateException first = new IllegalStateException();
        Run run = lane.enter(3);
        lane.enter(3);
        lane.leave(run, first, 0, told::add);

        assertThat(lane.enter(3)).isNull();
        lane.leave(run, new IllegalStateException("second"), 0, told::add);
        assertThat(told).containsExactly(first);

        assertThat(lane.enter(3).failure()).isNull();
    }

    /** Two of three hang when the third one fails. */
    @Test
    void runThatFailedIsOverWithoutThoseThatHang() {
        IllegalStateException failure = new IllegalStateException();
        Run run = lane.enter(3);
        lane.enter(3);
        lane.enter(3);
        lane.leave(run, failure, 100, told::add);

        lane.giveUpOnTheStuck(149, 50, told::add);
        assertThat(told).isEmpty();
        assertThat(lane.enter(3)).isNull();
        lane.giveUpOnTheStuck(150, 50, told::add);
        assertThat(told).containsExactly(failure);

        Run next = lane.enter(3);
        assertThat(next.failure()).isNull();
        assertThat(lane.enter(3)).as("two still hang").isNull();
        assertThat(lane.isAlone()).isFalse();

        lane.leave(run, new IllegalStateException("too late"), 200, told::add);
        assertThat(next.failure()).isNull();
        assertThat(lane.enter(3)).isSameAs(next);
        lane.leave(run, null, 200, told::add);
        assertThat(lane.enter(3)).isSameAs(next);
        assertThat(told).hasSize(1);
    }

    @Test
    void laneWhoseTimerIsMissedTwiceIsForsakenOnceForEachIntervalAndWhileThereIsRoom() {
        lane.called(1000);
        Run run = lane.enter(2);
        assertThat(lane.isForsaken(1199, 100, told::add)).isFalse();
        assertThat(lane.isForsaken(1200, 100, told::add)).isTrue();
        assertThat(lane.isForsaken(1299, 100, told::add)).isFalse();

        Run relief = lane.enter(2);
        assertThat(relief).isNotSameAs(run);
        assertThat(lane.isForsaken(1300, 100, told::add)).as("no room").isFalse();
        lane.leave(relief, null, 1300, told::add);
        assertThat(told).as("the one that hangs is not waited for").hasSize(1);
        assertThat(lane.isForsaken(1300, 100, told::add)).isTrue();
        assertThat(lane.enter(1)).as("with one thread none is left").isNull();
        assertThat(lane.isForsaken(1400, 100, told::add)).isFalse();

        lane.called(1450);
        lane.enter(2);
        assertThat(lane.isForsaken(1600, 100, told::add)).isFalse();
    }

    /** Which nobody was told of when the run was given up. */
    @Test
    void failureOfOneThatWasGivenUpIsToldOnce() {
        lane.called(0);
        Run run = lane.enter(3);
        lane.enter(3);
        assertThat(lane.isForsaken(200, 100, told::add)).isTrue();

        lane.leave(run, new IllegalStateException("late"), 300, told::add);
        lane.leave(run, new IllegalStateException("later"), 300, told::add);

        assertThat(told).singleElement().extracting(Throwable::getMessage).isEqualTo("late");
        assertThat(lane.enter(1)).isNotNull();
    }

    /** What one thread has met, and the other one, whose hanging keeps the run from its end, would never tell. */
    @Test
    void failureInARunThatIsForsakenIsToldAtOnce() {
        lane.called(0);
        Run run = lane.enter(3);
        lane.enter(3);
        lane.leave(run, new IllegalStateException("met"), 190, told::add);
        assertThat(told).isEmpty();

        assertThat(lane.isForsaken(200, 100, told::add)).isTrue();
        assertThat(told).singleElement().extracting(Throwable::getMessage).isEqualTo("met");

        lane.leave(run, null, 300, told::add);
        assertThat(told).as("a second time").hasSize(1);
    }

    /** The second time that the memory is used up, say. */
    @Test
    void runWhoseEndCannotBeToldIsOver() {
        Run run = lane.enter(1);
        assertThatThrownBy(() -> lane.leave(run, new IllegalStateException(), 0, LaneTest::cannotBeTold))
                .hasMessage("not told");

        Run next = lane.enter(1);
        assertThat(next.failure()).isNull();
        next.failed(new IllegalStateException(), 0);
        assertThatThrownBy(() -> lane.giveUpOnTheStuck(50, 50, LaneTest::cannotBeTold))
                .hasMessage("not told");
        assertThat(lane.enter(1)).as("one hangs").isNull();
        assertThat(lane.enter(2)).isNotNull();
        lane.leave(next, null, 60, told::add);
        assertThat(lane.enter(2)).isNotNull();
    }

    private static void cannotBeTold(Throwable failure) {
        throw new OutOfMemoryError("not told");
    }

    @Test
    void batchThatHangsBesideNoFailureIsNotGivenUp() {
        Run run = lane.enter(2);
        lane.giveUpOnTheStuck(1000, 50, told::add);

        assertThat(lane.enter(2)).isSameAs(run);
        assertThat(told).isEmpty();
    }

    @Test
    void helpThatComesTooLateBeginsNothing() {
        assertThat(lane.join(2)).isNull();
        lane.enter(2);
        assertThat(lane.join(2)).isNotNull();
        assertThat(lane.join(2)).as("no room").isNull();
    }

    @Test
    void helpIsWantedOnceABatchGotThroughAndOnceUntilItComes() {
        lane.enter(2);
        assertThat(lane.wantsHelp()).as("it may be an outage").isFalse();
        lane.delivered();
        assertThat(lane.wantsHelp()).isTrue();
        assertThat(lane.wantsHelp()).isFalse();

        Run run = lane.enter(2);
        assertThat(lane.wantsHelp()).as("no room").isFalse();
        lane.leave(run, null, 0, told::add);
        assertThat(lane.wantsHelp()).isTrue();
    }

    @Test
    void laneThatFailsRestsUntilItsTimerCalls() {
        lane.failed(1);

        assertThat(lane.ring()).isFalse();
        assertThat(lane.isRung()).isFalse();

        lane.succeeded(2);
        assertThat(lane.ring()).isTrue();
    }

    @Test
    void failuresAreCountedUntilARunSucceeds() {
        lane.failed(100);
        lane.failed(200);
        lane.failed(350);

        assertThat(lane.failures()).isEqualTo(3);
        assertThat(lane.failingFor(350)).isEqualTo(250);
        assertThat(lane.succeeded(400)).isEqualTo(3);
        assertThat(lane.failures()).isZero();
        assertThat(lane.succeeded(500)).isZero();
        lane.failed(600);
        assertThat(lane.failingFor(650)).isEqualTo(50);
    }

    @Test
    void lastingFailureIsReportedOncePerPeriod() {
        lane.failed(0);

        assertThat(lane.reportDue(59, 60)).isFalse();
        assertThat(lane.reportDue(60, 60)).isTrue();
        assertThat(lane.reportDue(119, 60)).isFalse();
        assertThat(lane.reportDue(120, 60)).isTrue();
    }

    @Test
    void laneIsFreshForAWhileAfterAGoodRun() {
        assertThat(lane.isFresh(0, 100)).isFalse();
        lane.succeeded(1000);

        assertThat(lane.isFresh(1099, 100)).isTrue();
        assertThat(lane.isFresh(1100, 100)).isFalse();
        lane.failed(1050);
        assertThat(lane.isFresh(1060, 100)).as("the container's own retry").isFalse();
        lane.failed(1070);
        assertThat(lane.isFresh(1080, 100)).isTrue();
        assertThat(lane.isFresh(1170, 100)).isFalse();
    }
}
