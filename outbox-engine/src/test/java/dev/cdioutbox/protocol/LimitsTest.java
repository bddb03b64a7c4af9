package dev.cdioutbox.protocol;

import static dev.cdioutbox.protocol.Faults.Fault.DEATH;
import static dev.cdioutbox.protocol.Faults.Fault.FAILED_SEND;
import static dev.cdioutbox.protocol.Faults.Fault.LOST_CLAIM;
import static dev.cdioutbox.protocol.Faults.Fault.OUTAGE;
import static dev.cdioutbox.protocol.Invariant.COPIES_IN_ORDER;
import static dev.cdioutbox.protocol.Invariant.NO_DUPLICATE;
import static dev.cdioutbox.protocol.Invariant.ORDER;
import static dev.cdioutbox.protocol.Invariant.SETTLED_IS_FINAL;
import static dev.cdioutbox.protocol.Protocol.AT_LEAST_ONCE;
import static dev.cdioutbox.protocol.Protocol.EXACTLY_ONCE;
import static dev.cdioutbox.protocol.Verdict.holds;
import static dev.cdioutbox.protocol.Verdict.isRefuted;

import dev.cdioutbox.protocol.Protocol.Break;
import dev.cdioutbox.protocol.Protocol.Claim;
import dev.cdioutbox.protocol.Protocol.Settle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guards the documented limits: where a promise ends, and which promises remain there. */
@Tag("model")
class LimitsTest {
    private static final Protocol FENCED_LEASE = AT_LEAST_ONCE.with(Claim.LEASE).with(Settle.FENCED);

    @Test
    void transactionsThatShareNoRowHaveNoOrderToKeep() {
        isRefuted(World.of(EXACTLY_ONCE, Faults.NONE).withoutSharedRow(), ORDER);
    }

    @Test
    void transactionManagerThatCommitsPastAnOutageLetsFollowersOvertake() {
        isRefuted(World.of(EXACTLY_ONCE.with(Break.COMMITS_PAST_OUTAGE), Faults.of(OUTAGE)), ORDER);
    }

    @Test
    void exactlyOnceRestsOnLockProbesAndCountsAndNotOnTheClaim() {
        holds(World.of(EXACTLY_ONCE.with(Claim.NONE), Faults.NONE), 15_000);
        holds(
                World.of(EXACTLY_ONCE.with(Claim.NONE), Faults.of(DEATH, FAILED_SEND))
                        .with("a1", "a2"),
                24_000);
    }

    @Test
    void atLeastOnceRestsOnTheClaim() {
        isRefuted(World.of(AT_LEAST_ONCE.with(Claim.NONE), Faults.NONE), NO_DUPLICATE);
    }

    @Test
    void batchThatIsSentAgainPutsCopiesAfterLaterMessages() {
        isRefuted(World.of(AT_LEAST_ONCE, Faults.of(DEATH)), COPIES_IN_ORDER, COPIES_IN_ORDER);
    }

    @Test
    void fencedLeaseCostsCopiesOnlyAndNoMoreThanOneForEachLeaseThatRanOut() {
        holds(World.of(FENCED_LEASE, Faults.of(LOST_CLAIM, DEATH, FAILED_SEND)).with("a1", "a2"), 22_000);
        holds(World.of(FENCED_LEASE, Faults.of(LOST_CLAIM)), 16_000);
    }

    @Test
    void orderUnderALeaseRestsOnTheSequence() {
        isRefuted(World.of(FENCED_LEASE, Faults.of(LOST_CLAIM)), COPIES_IN_ORDER, COPIES_IN_ORDER);
    }

    @Test
    void leaseWithExactlyOnceCostsNothing() {
        holds(
                World.of(EXACTLY_ONCE.with(Claim.LEASE).with(Settle.FENCED), Faults.of(LOST_CLAIM, DEATH))
                        .with("a1", "a2"),
                10_000,
                COPIES_IN_ORDER);
    }

    @Test
    void countingIsAFenceOfItsOwn() {
        holds(World.of(EXACTLY_ONCE.with(Claim.LEASE), Faults.of(LOST_CLAIM)), 21_000);
    }

    @Test
    void unfencedSettlingByLeaseDuplicates() {
        isRefuted(World.of(EXACTLY_ONCE.with(Claim.LEASE).with(Settle.ANY), Faults.of(LOST_CLAIM)), NO_DUPLICATE);
    }

    @Test
    void unfencedSettlingByLeaseReopensWhatWasSettled() {
        isRefuted(
                World.of(AT_LEAST_ONCE.with(Claim.LEASE).with(Settle.ANY), Faults.of(LOST_CLAIM, FAILED_SEND)),
                SETTLED_IS_FINAL);
    }
}
