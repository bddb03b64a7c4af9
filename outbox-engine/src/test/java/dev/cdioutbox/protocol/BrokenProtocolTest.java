package dev.cdioutbox.protocol;

import static dev.cdioutbox.protocol.Faults.Fault.DEATH;
import static dev.cdioutbox.protocol.Faults.Fault.DISCARD;
import static dev.cdioutbox.protocol.Faults.Fault.FAILED_SEND;
import static dev.cdioutbox.protocol.Faults.Fault.LOST_CLAIM;
import static dev.cdioutbox.protocol.Faults.Fault.LOST_LOG;
import static dev.cdioutbox.protocol.Faults.Fault.ROLLBACK;
import static dev.cdioutbox.protocol.Invariant.DOUBT_HOLDS_ITS_KEYS_ONLY;
import static dev.cdioutbox.protocol.Invariant.NOTHING_LOST;
import static dev.cdioutbox.protocol.Invariant.NO_DUPLICATE;
import static dev.cdioutbox.protocol.Invariant.NO_GHOST;
import static dev.cdioutbox.protocol.Invariant.ORDER;
import static dev.cdioutbox.protocol.Invariant.PROGRESS;
import static dev.cdioutbox.protocol.Protocol.AT_LEAST_ONCE;
import static dev.cdioutbox.protocol.Protocol.DATABASE_FIRST;
import static dev.cdioutbox.protocol.Protocol.EXACTLY_ONCE;
import static dev.cdioutbox.protocol.Protocol.SETTLE_BEFORE_PUBLISH;
import static dev.cdioutbox.protocol.Verdict.isRefuted;

import dev.cdioutbox.protocol.Protocol.Break;
import dev.cdioutbox.protocol.Protocol.Claim;
import dev.cdioutbox.protocol.Protocol.Settle;
import dev.cdioutbox.protocol.Protocol.Watermarks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guards that each rule of the protocol is needed: the model refutes each of these variants. */
@Tag("model")
class BrokenProtocolTest {

    @Test
    void settlingBeforePublishingLosesMessages() {
        isRefuted(World.of(SETTLE_BEFORE_PUBLISH, Faults.of(DEATH)), NOTHING_LOST);
    }

    @Test
    void databaseFirstWithAClaimThatEndsAtThatCommitOvertakesWithoutACrash() {
        isRefuted(World.of(DATABASE_FIRST.with(Claim.IN_TRANSACTION), Faults.NONE), ORDER);
    }

    @Test
    void databaseFirstWithAClaimOfItsOwnOvertakesWhenANodeDies() {
        isRefuted(World.of(DATABASE_FIRST, Faults.of(DEATH)), ORDER);
    }

    @Test
    void databaseFirstLosesMessagesWithTheLog() {
        isRefuted(World.of(DATABASE_FIRST, Faults.of(DEATH, LOST_LOG)).with("a1"), NOTHING_LOST);
    }

    @Test
    void followersThatPassAMessageInDoubtOvertakeIt() {
        isRefuted(World.of(EXACTLY_ONCE.with(Break.FOLLOWERS_PASS_DOUBT), Faults.of(DEATH)), ORDER);
    }

    @Test
    void withoutALookForRowsInDoubtOtherKeysWaitForRecovery() {
        isRefuted(World.of(EXACTLY_ONCE.without(Action.LOOK), Faults.of(DEATH)), DOUBT_HOLDS_ITS_KEYS_ONLY);
    }

    @Test
    void settlingThatWaitsForLockedRowsHoldsOtherKeysUntilRecovery() {
        isRefuted(
                World.of(EXACTLY_ONCE.with(Break.SETTLES_PATIENTLY), Faults.of(DEATH, LOST_CLAIM))
                        .with("a1", "b1"),
                DOUBT_HOLDS_ITS_KEYS_ONLY);
    }

    @Test
    void lookThatIgnoresWhatWasSettledSinceCostsMoreCopies() {
        isRefuted(World.of(AT_LEAST_ONCE.with(Break.LOOK_IGNORES_STATUS), Faults.of(LOST_CLAIM)), NO_DUPLICATE);
    }

    @Test
    void orderByTheClockOfTheJvmIsNotTheOrderOfCommits() {
        isRefuted(World.of(EXACTLY_ONCE.with(Break.ORDER_BY_JVM_TIME), Faults.NONE), ORDER);
    }

    @Test
    void locksOnTheMessagesAloneLetFollowersOvertake() {
        isRefuted(World.of(EXACTLY_ONCE.with(Claim.MESSAGES_ONLY), Faults.NONE), ORDER);
    }

    @Test
    void settlingThatDoesNotCountDuplicates() {
        isRefuted(World.of(EXACTLY_ONCE.with(Settle.WAITING), Faults.of(LOST_CLAIM)), NO_DUPLICATE);
    }

    @Test
    void settlingThatDoesNotCountDuplicatesAfterADeathTooIfTheLookIgnoresWhatWasSettled() {
        isRefuted(
                World.of(EXACTLY_ONCE.with(Settle.WAITING).with(Break.LOOK_IGNORES_STATUS), Faults.of(DEATH)),
                NO_DUPLICATE);
    }

    @Test
    void followerThatDoesNotWaitForAFailedHeadOvertakesIt() {
        isRefuted(World.of(EXACTLY_ONCE.with(Break.FOLLOWERS_PASS_FAILURE), Faults.of(FAILED_SEND)), ORDER);
    }

    @Test
    void sendingFromThePartitionWhileTheKeyIsBlockedOvertakes() {
        isRefuted(World.of(EXACTLY_ONCE.with(Break.SENDS_WHILE_BLOCKED), Faults.of(FAILED_SEND)), ORDER);
    }

    @Test
    void movingTheLastFollowerToTheBlockedKeyFirstOvertakes() {
        isRefuted(
                World.of(EXACTLY_ONCE.with(Break.MOVES_HIGHEST_FIRST), Faults.of(FAILED_SEND))
                        .with("a1", "a2", "a3"),
                ORDER);
    }

    @Test
    void removingABlockedKeyWithoutALockStrandsAMessageBeingMoved() {
        isRefuted(
                World.of(EXACTLY_ONCE.with(Break.CLOSES_WITHOUT_LOCK), Faults.of(FAILED_SEND, LOST_CLAIM))
                        .with("a1", "a2"),
                PROGRESS);
    }

    @Test
    void removingABlockedKeyThatIsNotEmptyStrandsItsMessages() {
        isRefuted(World.of(EXACTLY_ONCE.with(Break.CLOSES_EARLY), Faults.of(FAILED_SEND)), ORDER);
    }

    @Test
    void readingWhatIsNotCommittedMakesGhosts() {
        isRefuted(World.of(AT_LEAST_ONCE.with(Break.READS_DIRTY), Faults.of(ROLLBACK)), NO_GHOST);
    }

    @Test
    void laterPageOvertakesWhatWasCommittedBehindTheFirst() {
        isRefuted(
                World.of(EXACTLY_ONCE.with(Break.CONTINUES_BEHIND_PAGE), Faults.of(DEATH))
                        .withPagesOf(1),
                ORDER);
    }

    @Test
    void watermarkThatIgnoresInFlightInsertsLetsFollowersOvertake() {
        isRefuted(World.of(EXACTLY_ONCE.with(Watermarks.WITHOUT_WAITING), Faults.NONE), ORDER);
    }

    @Test
    void watermarkThatWaitsOnlyForEarlierInsertsStrandsALaterOne() {
        isRefuted(World.of(EXACTLY_ONCE.with(Watermarks.WRITERS_SEEN_TOO_EARLY), Faults.NONE), PROGRESS);
    }

    @Test
    void claimThatIsNeverReleasedStopsEverything() {
        isRefuted(World.of(EXACTLY_ONCE.with(Break.KEEPS_CLAIM), Faults.NONE), PROGRESS);
    }

    @Test
    void takingWhatWasDiscardedForALostClaimCostsTheBatchACopy() {
        isRefuted(
                World.of(AT_LEAST_ONCE.with(Break.DISCARDED_IS_LOST), Faults.of(DISCARD))
                        .with("a1", "b1"),
                NO_DUPLICATE);
    }

    @Test
    void publishingWhatWasDiscardedAndCouldBeTakenBackLetsFollowersOvertakeItIfTheClaimIsLost() {
        isRefuted(
                World.of(EXACTLY_ONCE.with(Break.DISCARDED_IS_SENT), Faults.of(DISCARD, LOST_CLAIM))
                        .with("a1", "a2"),
                ORDER);
    }

    @Test
    void committingABatchInWhichASendFailedDuplicatesWhatTheBrokerHadAllTheSame() {
        isRefuted(World.of(EXACTLY_ONCE.with(Break.COMMITS_FAILED_SENDS), Faults.of(FAILED_SEND)), NO_DUPLICATE);
    }
}
