package dev.cdioutbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LaneTest {
    private final Lane lane = new Lane("default");

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
        lane.enter();
        lane.heard();

        assertThat(lane.ring()).isFalse();
        assertThat(lane.isRung()).isTrue();
    }

    @Test
    void onlyOneIsIn() {
        assertThat(lane.enter()).isTrue();
        assertThat(lane.enter()).isFalse();
        lane.leave();
        assertThat(lane.enter()).isTrue();
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

    @Test
    void refusalIsNewsOncePerReason() {
        lane.refused("no XA");
        assertThat(lane.isNews()).isTrue();
        assertThat(lane.isNews()).isFalse();
        lane.refused("no XA");
        assertThat(lane.isNews()).isFalse();
        lane.refused("not prepared");
        assertThat(lane.isNews()).isTrue();
        lane.refused(null);
        assertThat(lane.isNews()).isFalse();
    }

    @Test
    void proofHoldsForTheTargetItWasMadeWith() {
        lane.refused("no XA");
        lane.provenFor("queue");
        assertThat(lane.refusal()).isNull();
        assertThat(lane.isProvenFor("queue")).isTrue();
        assertThat(lane.isProvenFor("another queue")).isFalse();
    }
}
