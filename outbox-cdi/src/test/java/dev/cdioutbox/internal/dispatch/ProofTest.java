package dev.cdioutbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProofTest {
    private final Proof proof = new Proof();

    @Test
    void refusalIsNewsOncePerReason() {
        proof.refused("no XA");
        assertThat(proof.isNews(0, 60)).isTrue();
        assertThat(proof.isNews(60, 60)).isFalse();
        proof.refused("no XA");
        assertThat(proof.isNews(60, 60)).isFalse();
        proof.refused("not prepared");
        assertThat(proof.isNews(60, 60)).isTrue();
        proof.refused(null);
        assertThat(proof.isNews(120, 60)).isFalse();
    }

    /** There may be a number in it, or outages in between. */
    @Test
    void refusalIsNewsOncePerPeriodHoweverOftenItsReasonChanges() {
        proof.refused("no XA for 1");
        assertThat(proof.isNews(0, 60)).isTrue();
        proof.refused("no XA for 2");
        assertThat(proof.isNews(30, 60)).isFalse();
        proof.refused(null);
        proof.refused("no XA for 3");
        proof.refused("no XA for 3");
        assertThat(proof.isNews(59, 60)).isFalse();
        assertThat(proof.isNews(60, 60)).as("told late, and not never").isTrue();
        proof.refused("no XA for 4");
        proof.madeFor("queue");
        assertThat(proof.isNews(120, 60)).as("it is over").isFalse();
    }

    @Test
    void itHoldsForTheTargetItWasMadeWith() {
        proof.refused("no XA");
        proof.madeFor("queue");
        assertThat(proof.refusal()).isNull();
        assertThat(proof.isFor("queue")).isTrue();
        assertThat(proof.isFor("another queue")).isFalse();
    }
}
