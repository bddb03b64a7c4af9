package dev.cdioutbox.internal.dispatch.worker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Guards how often a refused probe is reported, and how long the next probe is delayed. */
class ProbeResultTest {
    private static final long SECOND = 1_000_000_000;

    private final ProbeResult proof = new ProbeResult();

    @Test
    void refusalIsNewsOncePerReason() {
        proof.refused("no XA");
        assertThat(proof.takeUnreportedRefusal(0, 60)).isTrue();
        assertThat(proof.takeUnreportedRefusal(60, 60)).isFalse();
        proof.refused("no XA");
        assertThat(proof.takeUnreportedRefusal(60, 60)).isFalse();
        proof.refused("not prepared");
        assertThat(proof.takeUnreportedRefusal(60, 60)).isTrue();
        proof.refused(null);
        assertThat(proof.takeUnreportedRefusal(120, 60)).isFalse();
    }

    /** The reason may contain a changing number, or outages may come in between. */
    @Test
    void refusalIsNewsOncePerPeriodHoweverOftenItsReasonChanges() {
        proof.refused("no XA for 1");
        assertThat(proof.takeUnreportedRefusal(0, 60)).isTrue();
        proof.refused("no XA for 2");
        assertThat(proof.takeUnreportedRefusal(30, 60)).isFalse();
        proof.refused(null);
        proof.refused("no XA for 3");
        proof.refused("no XA for 3");
        assertThat(proof.takeUnreportedRefusal(59, 60)).isFalse();
        assertThat(proof.takeUnreportedRefusal(60, 60))
                .as("told late, and not never")
                .isTrue();
        proof.refused("no XA for 4");
        proof.provenFor("queue");
        assertThat(proof.takeUnreportedRefusal(120, 60)).as("it is over").isFalse();
    }

    @Test
    void pauseBetweenRefusedProbesDoublesUpToAMinute() {
        Exception refusal = new IllegalStateException("no XA");
        long now = 0;
        for (int pause : new int[] {10, 20, 40, 60, 60}) {
            proof.pause("queue", refusal, now);
            assertThat(proof.pausedBy("queue", now + SECOND * pause - 1)).isSameAs(refusal);
            assertThat(proof.pausedBy("another queue", now)).isNull();
            now += SECOND * pause;
            assertThat(proof.pausedBy("queue", now)).isNull();
        }
        proof.provenFor("queue");
        proof.pause("queue", refusal, now);
        assertThat(proof.pausedBy("queue", now + SECOND * 10)).isNull();
    }

    @Test
    void itHoldsForTheTargetItWasMadeWith() {
        proof.refused("no XA");
        proof.provenFor("queue");
        assertThat(proof.refusal()).isNull();
        assertThat(proof.isProvenFor("queue")).isTrue();
        assertThat(proof.isProvenFor("another queue")).isFalse();
    }
}
