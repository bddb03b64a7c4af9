package dev.cdioutbox.internal.observe;

import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.deadletter.DeadLetterQueue;
import dev.cdioutbox.internal.dispatch.listener.GuaranteeReport;
import dev.cdioutbox.internal.observe.Gauges.DeadLetterCount;
import dev.cdioutbox.internal.store.HeldUpKeys;
import dev.cdioutbox.internal.store.operate.BacklogReader.Backlog;
import dev.cdioutbox.spi.DestinationId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guards that gauges show the last known backlog, and an age that grows while no new reading arrives. */
class GaugesTest {
    private static final DestinationId DEFAULT = ofDefaultOutbox("default");

    private static final Instant READ_AT = Instant.parse("2026-11-21T10:00:00Z");

    private final AtomicLong nanos = new AtomicLong();
    private final Gauges gauges = new Gauges(nanos::get);

    /** A claim fails outside of a batch. */
    @Test
    void failureOfARunIsTheLastFailureUntilARunSucceeds() {
        gauges.runFailed(DEFAULT, 1, new IllegalStateException("no right to update"));
        gauges.ended(DEFAULT);
        assertThat(gauges.destination(DEFAULT).lastFailure().reason()).contains("no right to update");

        gauges.recovered(DEFAULT, 1);
        assertThat(gauges.destination(DEFAULT).lastFailure()).isNull();
    }

    /** Otherwise the old reason would stand beside the new address until the next batch has ended. */
    @Test
    void failureIsForgottenWhenTheDestinationIsOpenedWithAnotherAddress() {
        gauges.runFailed(DEFAULT, 1, new IllegalStateException("no queue jms/old"));

        gauges.guaranteeReported(DEFAULT, GuaranteeReport.unproven("H2", "no XA"));
        assertThat(gauges.destination(DEFAULT).lastFailure().reason()).isEqualTo("no XA");
        assertThat(gauges.destination(DEFAULT).finding()).isNotNull();

        gauges.guaranteeReported(DEFAULT, GuaranteeReport.of(Guarantee.EXACTLY_ONCE, "H2", true, "a broker", false));
        assertThat(gauges.destination(DEFAULT).lastFailure()).isNull();
        assertThat(gauges.destination(DEFAULT).finding()).isNull();
    }

    /** While the application stops, a failed batch fails no run. */
    @Test
    void failureOfABatchWhoseRunDoesNotCountIsForgottenAtItsEnd() {
        gauges.failed(DEFAULT, 1, new IllegalStateException("closed"));
        gauges.ended(DEFAULT);
        assertThat(gauges.destination(DEFAULT).lastFailure()).isNull();
    }

    @Test
    void everythingIsZeroUntilTheFirstReading() {
        assertThat(gauges.pending()).isZero();
        assertThat(gauges.failed()).isZero();
        assertThat(gauges.abandoned()).isZero();
        assertThat(gauges.oldestPendingAgeSeconds()).isZero();
    }

    /** The sum of the outboxes read so far could be fine while another outbox has a backlog. */
    @Test
    void backlogIsKnownWhenEachOutboxWasRead() {
        gauges.expectTicks("default");
        gauges.expectTicks("billing");
        gauges.backlog("default", new Backlog(1, 2, 3, null, Set.of(), READ_AT, Map.of()));
        assertThat(gauges.isBacklogKnown()).isFalse();

        gauges.backlog("billing", new Backlog(1, 2, 3, null, Set.of(), READ_AT, Map.of()));
        assertThat(gauges.isBacklogKnown()).isTrue();
    }

    @Test
    void ageGrowsWhereTheDispatcherCouldNeverRead() {
        gauges.expectTicks("default");
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(29));
        assertThat(gauges.oldestPendingAgeSeconds()).isZero();

        nanos.addAndGet(TimeUnit.SECONDS.toNanos(31));
        assertThat(gauges.oldestPendingAgeSeconds()).isEqualTo(60);
    }

    /** The age grows while the dispatcher or the database is down. */
    @Test
    void doubtGrowsOldUntilItHasEnded() {
        assertThat(gauges.destination(DEFAULT).inDoubt()).isZero();
        gauges.inDoubt(DEFAULT, 3, Duration.ofSeconds(10));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(50));

        assertThat(gauges.destination(DEFAULT).inDoubt()).isEqualTo(3);
        assertThat(gauges.destination(DEFAULT).inDoubtSeconds()).isEqualTo(60);
        assertThat(gauges.destination(ofDefaultOutbox("audit")).inDoubt()).isZero();

        gauges.inDoubt(DEFAULT, 0, Duration.ZERO);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(50));
        assertThat(gauges.destination(DEFAULT).inDoubt()).isZero();
        assertThat(gauges.destination(DEFAULT).inDoubtSeconds()).isZero();
    }

    /** Nobody asks for keys that wait behind messages in doubt once there are none. */
    @Test
    void keysAreHeldUpUntilNoneIs() {
        assertThat(gauges.blockedKeys(DEFAULT)).isEqualTo(HeldUpKeys.NONE);
        gauges.keysBlocked("default", Map.of("default", new HeldUpKeys(2, 7, Duration.ofSeconds(10))));
        gauges.inDoubt(DEFAULT, 3, Duration.ZERO);
        gauges.keysInDoubt(DEFAULT, new HeldUpKeys(1, 4, Duration.ZERO));
        pass(50);

        assertThat(gauges.blockedKeys(DEFAULT)).isEqualTo(new HeldUpKeys(2, 7, Duration.ofSeconds(60)));
        assertThat(gauges.blockedKeys(DestinationId.of("billing", "default"))).isEqualTo(HeldUpKeys.NONE);
        assertThat(gauges.destination(DEFAULT).keysInDoubt().followers()).isEqualTo(4);

        gauges.keysBlocked("default", Map.of());
        gauges.inDoubt(DEFAULT, 0, Duration.ZERO);
        assertThat(gauges.blockedKeys(DEFAULT)).isEqualTo(HeldUpKeys.NONE);
        assertThat(gauges.destination(DEFAULT).keysInDoubt()).isEqualTo(HeldUpKeys.NONE);
    }

    @Test
    void rateHoldsBackUntilAFewSecondsAfterTheLastTime() {
        assertThat(gauges.destination(DEFAULT).isHeldBack()).isFalse();
        gauges.heldBack(DEFAULT);
        pass(9);
        assertThat(gauges.destination(DEFAULT).isHeldBack()).isTrue();
        pass(1);
        assertThat(gauges.destination(DEFAULT).isHeldBack()).isFalse();
    }

    @Test
    void partitionsAreHeldUntilTheyAreReleased() {
        gauges.claimed(DEFAULT, 16, Duration.ZERO);
        gauges.claimed(ofDefaultOutbox("audit"), 3, Duration.ZERO);
        assertThat(gauges.partitionsHeld()).isEqualTo(19);

        gauges.released(DEFAULT, 16);
        gauges.released(ofDefaultOutbox("audit"), 3);
        assertThat(gauges.partitionsHeld()).isZero();
    }

    /** Between two readings, the message that was the oldest has most likely been sent. */
    @Test
    void ageIsThatOfTheDatabasesClockAndGrowsOnlyIfNobodyReads() {
        gauges.backlog("default", new Backlog(1, 0, 0, READ_AT.minusSeconds(3), Set.of(), READ_AT, Map.of()));

        assertThat(gauges.oldestPendingAgeSeconds()).isEqualTo(3);
        pass(10);
        assertThat(gauges.oldestPendingAgeSeconds()).isEqualTo(3);
        pass(20);
        assertThat(gauges.oldestPendingAgeSeconds()).isEqualTo(33);
    }

    /** What waited at the start is a finding of the doctor, which is logged. */
    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "0, 1, true",
                "1, 3, true",
                "-, 2, true",
                "2, 2, false",
                "3, 1, false",
                "1, -, false",
                "100, 100, false"
            })
    void deadLettersAreNewIfThereAreMoreThanAtTheLastLook(Integer before, Integer now, boolean areNew) {
        DeadLetterCount count = new DeadLetterCount(now, null);

        assertThat(count.isMoreThan(new DeadLetterCount(before, null))).isEqualTo(areNew);
    }

    /** A call to the broker may hang, and its last answer would stand for ever. */
    @Test
    void deadLettersAreUnknownOnceTheLastLookIsOutdated() {
        DeadLetterQueue queue = new DeadLetterQueue("billing", "aside", "jms/aside", "jms/activemq");
        assertThat(gauges.deadLetters(queue)).as("just started").isEqualTo(new DeadLetterCount(null, null));
        pass(30);
        assertUnknown(gauges.deadLetters(queue));

        assertThat(gauges.deadLettersCounted(queue, new DeadLetterCount(0, null)))
                .isEmpty();
        pass(29);
        assertThat(gauges.deadLetters(queue).value()).isZero();
        pass(1);
        assertUnknown(gauges.deadLetters(queue));
    }

    private static void assertUnknown(DeadLetterCount count) {
        assertThat(count.value()).isNaN();
        assertThat(count.finding().toString())
                .startsWith("OBX-0522: the dead letter queue 'billing/aside' cannot be used: ")
                .contains("outbox.outboxes.billing.dead-letters.aside.jndi");
    }

    @Test
    void backlogsOfSeveralOutboxesAreAddedUpAndTheOldestCounts() {
        gauges.backlog("default", new Backlog(1, 2, 3, READ_AT.minusSeconds(10), Set.of("a"), READ_AT, Map.of()));
        gauges.backlog("billing", new Backlog(10, 20, 30, READ_AT.minusSeconds(600), Set.of("a"), READ_AT, Map.of()));
        gauges.backlog("empty", new Backlog(0, 0, 0, null, Set.of(), READ_AT, Map.of()));

        assertThat(gauges.pending()).isEqualTo(11);
        assertThat(gauges.failed()).isEqualTo(22);
        assertThat(gauges.abandoned()).isEqualTo(33);
        assertThat(gauges.paused()).isEqualTo(2);
        assertThat(gauges.oldestPendingAgeSeconds()).isEqualTo(600);
    }

    @Test
    void ageIsNeverNegative() {
        gauges.backlog("default", new Backlog(1, 0, 0, READ_AT.plusSeconds(600), Set.of(), READ_AT, Map.of()));

        assertThat(gauges.oldestPendingAgeSeconds()).isZero();
    }

    @Test
    void ageOfTheLastTickGrowsUntilTheNext() {
        assertThat(gauges.isDispatching("default")).isFalse();
        assertThat(gauges.lastTickAgeSeconds()).as("where nothing dispatches").isNaN();

        gauges.expectTicks(OutboxConfig.DEFAULT_OUTBOX);
        assertThat(gauges.isDispatching("default")).isTrue();
        pass(7);
        assertThat(gauges.lastTickAgeSeconds()).isEqualTo(7);

        gauges.ticked();
        assertThat(gauges.lastTickAgeSeconds()).isZero();
        pass(3);
        assertThat(gauges.lastTickAgeSeconds()).isEqualTo(3);
    }

    @Test
    void whatIsNotReadAnyMoreIsAsOldAsTheReadingThoughNothingWaitedThen() {
        gauges.backlog("default", new Backlog(0, 0, 0, null, Set.of(), READ_AT, Map.of()));
        pass(20);
        assertThat(gauges.oldestPendingAgeSeconds()).as("between two readings").isZero();

        pass(580);
        assertThat(gauges.oldestPendingAgeSeconds()).isEqualTo(600);

        gauges.backlog("default", new Backlog(0, 0, 0, null, Set.of(), READ_AT, Map.of()));
        assertThat(gauges.oldestPendingAgeSeconds()).isZero();
    }

    @Test
    void ageOfTheReadingIsThatOfTheOutboxThatWasReadLongestAgo() {
        pass(100);
        assertThat(gauges.lastReadingAgeSeconds())
                .as("where nothing dispatches")
                .isNaN();

        gauges.expectTicks(OutboxConfig.DEFAULT_OUTBOX);
        gauges.expectTicks("billing");
        pass(100);
        gauges.backlog("default", new Backlog(0, 0, 0, null, Set.of(), READ_AT, Map.of()));
        gauges.storeChecked("default", null);
        assertThat(gauges.lastReadingAgeSeconds()).as("billing was never read").isEqualTo(100);

        gauges.backlog("billing", new Backlog(0, 0, 0, null, Set.of(), READ_AT, Map.of()));
        assertThat(gauges.lastReadingAgeSeconds()).isZero();
    }

    @Test
    void destinationsAreDistinguished() {
        Instant old = READ_AT.minusSeconds(600);
        gauges.backlog("default", new Backlog(2, 0, 0, old, Set.of("a"), READ_AT, Map.of("b", old)));
        gauges.backlog("billing", new Backlog(0, 0, 0, null, Set.of("*"), READ_AT, Map.of()));
        gauges.claimed(ofDefaultOutbox("a"), 3, Duration.ZERO);
        gauges.claimed(DestinationId.of("billing", "a"), 4, Duration.ZERO);

        assertThat(gauges.oldestPendingAgeSeconds(ofDefaultOutbox("a"))).isZero();
        assertThat(gauges.oldestPendingAgeSeconds(ofDefaultOutbox("b"))).isEqualTo(600);
        assertThat(gauges.oldestPendingAgeSeconds(DestinationId.of("unread", "b")))
                .isZero();
        assertThat(gauges.isPaused(ofDefaultOutbox("a"))).isTrue();
        assertThat(gauges.isPaused(ofDefaultOutbox("b"))).isFalse();
        assertThat(gauges.isPaused(DestinationId.of("billing", "b"))).isTrue();
        assertThat(gauges.destination(ofDefaultOutbox("a")).partitionsHeld()).isEqualTo(3);
        assertThat(gauges.destination(DestinationId.of("billing", "a")).partitionsHeld())
                .isEqualTo(4);
        assertThat(gauges.destination(ofDefaultOutbox("b")).partitionsHeld()).isZero();
    }

    private void pass(long seconds) {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }
}
