package dev.cdioutbox.protocol;

import static dev.cdioutbox.protocol.Faults.Fault.DEATH;
import static dev.cdioutbox.protocol.Faults.Fault.DISCARD;
import static dev.cdioutbox.protocol.Faults.Fault.FAILED_SEND;
import static dev.cdioutbox.protocol.Faults.Fault.LOST_CLAIM;
import static dev.cdioutbox.protocol.Faults.Fault.LOST_LOG;
import static dev.cdioutbox.protocol.Faults.Fault.OUTAGE;
import static dev.cdioutbox.protocol.Faults.Fault.ROLLBACK;
import static dev.cdioutbox.protocol.Protocol.AT_LEAST_ONCE;
import static dev.cdioutbox.protocol.Protocol.COMMIT_PRIORITY;
import static dev.cdioutbox.protocol.Protocol.EXACTLY_ONCE;
import static dev.cdioutbox.protocol.Verdict.holds;

import dev.cdioutbox.protocol.Protocol.Watermarks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guards the promises of docs/internals.md in every order of the steps of two nodes, writers, crashes and recovery. */
@Tag("model")
class ProtocolTest {

    @Test
    void exactlyOnceHoldsThroughTwoDeaths() {
        holds(World.of(EXACTLY_ONCE, Faults.of(DEATH, DEATH)), 63_000);
    }

    @Test
    void exactlyOnceHoldsThroughADeathAndAFailedSend() {
        holds(World.of(EXACTLY_ONCE, Faults.of(DEATH, FAILED_SEND)), 58_000);
        holds(World.of(EXACTLY_ONCE, Faults.of(DEATH, DEATH, FAILED_SEND)).with("a1", "a2"), 11_000);
    }

    @Test
    void exactlyOnceHoldsThoughAClaimIsLostUnderALivingNode() {
        holds(World.of(EXACTLY_ONCE, Faults.of(LOST_CLAIM)), 21_000);
        holds(World.of(EXACTLY_ONCE, Faults.of(LOST_CLAIM, DEATH, FAILED_SEND)).with("a1", "a2"), 42_000);
    }

    @Test
    void exactlyOnceHoldsThroughAnOutageIfTheTransactionManagerKeepsTheOrderOfTheBranches() {
        holds(World.of(EXACTLY_ONCE, Faults.of(OUTAGE, DEATH)), 43_000);
        holds(World.of(COMMIT_PRIORITY, Faults.of(OUTAGE, DEATH)), 43_000);
    }

    @Test
    void exactlyOnceHoldsInWhateverOrderTheBranchesArePrepared() {
        holds(World.of(COMMIT_PRIORITY, Faults.of(DEATH, FAILED_SEND)), 58_000);
        holds(World.of(COMMIT_PRIORITY, Faults.of(DEATH, LOST_LOG)), 23_000);
    }

    @Test
    void exactlyOnceHoldsWithoutTheLogIfTheOperatorFollowsTheBroker() {
        holds(World.of(EXACTLY_ONCE, Faults.of(DEATH, LOST_LOG)), 23_000);
    }

    @Test
    void exactlyOnceHoldsThoughWritersRollBack() {
        holds(World.of(EXACTLY_ONCE, Faults.of(DEATH, ROLLBACK)), 19_000);
    }

    @Test
    void exactlyOnceHoldsForPagesOfOneRow() {
        holds(World.of(EXACTLY_ONCE, Faults.of(DEATH, FAILED_SEND)).withPagesOf(1), 53_000);
    }

    @Test
    void claimAboveTheReadWatermarkSkipsNoMessage() {
        holds(World.of(EXACTLY_ONCE.with(Watermarks.AFTER_WRITERS), Faults.NONE), 7_000);
        holds(
                World.of(EXACTLY_ONCE.with(Watermarks.AFTER_WRITERS), Faults.of(ROLLBACK))
                        .withPagesOf(1),
                7_000);
        holds(
                World.of(EXACTLY_ONCE.with(Watermarks.AFTER_WRITERS), Faults.of(DEATH, FAILED_SEND))
                        .with("a1", "a2"),
                7_000);
    }

    @Test
    void blockedKeyKeepsItsOrderThoughClaimsAreLostAndNodesCrash() {
        holds(World.of(EXACTLY_ONCE, Faults.of(FAILED_SEND, FAILED_SEND, DEATH)).with("a1", "a2", "a3"), 40_000);
        holds(World.of(EXACTLY_ONCE, Faults.of(FAILED_SEND, LOST_CLAIM)).with("a1", "a2", "a3"), 20_000);
    }

    /** The message is sent before an operator discards it, or not at all; other messages are not affected. */
    @Test
    void messageThatIsDiscardedWhileItIsSentCostsNoCopyAndNoOrder() {
        holds(World.of(EXACTLY_ONCE, Faults.of(DISCARD, DEATH)), 19_000);
        holds(
                World.of(EXACTLY_ONCE, Faults.of(DISCARD, LOST_CLAIM, FAILED_SEND))
                        .with("a1", "a2"),
                15_000);
        holds(World.of(AT_LEAST_ONCE, Faults.of(DISCARD, DEATH, FAILED_SEND)), 30_000);
        holds(World.of(AT_LEAST_ONCE, Faults.of(DISCARD, LOST_CLAIM)).with("a1", "b1"), 1_500);
    }

    @Test
    void atLeastOnceCostsNoMoreThanACopyForEachDeath() {
        holds(World.of(AT_LEAST_ONCE, Faults.of(DEATH, DEATH, FAILED_SEND, ROLLBACK)), 75_000);
    }

    @Test
    void atLeastOnceCostsNoMoreThanACopyForEachLostClaim() {
        holds(World.of(AT_LEAST_ONCE, Faults.of(LOST_CLAIM)), 23_000);
        holds(World.of(AT_LEAST_ONCE, Faults.of(LOST_CLAIM, DEATH, FAILED_SEND)).with("a1", "a2"), 27_000);
    }
}
