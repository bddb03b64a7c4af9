package dev.cdioutbox.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The negative controls: the harness catches each engine that is wrong on purpose, and prints after how many faults. If
 * no other test has the scenario, the right engine passes it first. The profile {@code crash} runs this test.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WrongEngineCampaign extends CrashTest {
    private static final Duration DRAIN = Duration.ofSeconds(60);
    private static final Duration LEASE_AND_MORE = Duration.ofSeconds(9);
    private static final int TRIES = 25;

    @Test
    void settlingBeforeTheSendLosesMessages() {
        caught(
                WrongEngine.SETTLE_BEFORE_SEND,
                Mode.EXACTLY_ONCE,
                1,
                killsAt(Point.BUSINESS_COMMITTED),
                c -> c.lost() > 0);
    }

    @Test
    void databaseThatCommitsFirstLetsFollowersOvertake() {
        caught(
                WrongEngine.COMMIT_ORDER_REVERSED,
                Mode.EXACTLY_ONCE,
                2,
                killsAt(Point.BETWEEN_COMMITS),
                c -> c.outOfOrder() > 0);
    }

    @Test
    void captureOutsideTheTransactionLeavesGhosts() {
        caught(
                WrongEngine.CAPTURE_OUTSIDE_THE_TRANSACTION,
                Mode.EXACTLY_ONCE,
                1,
                killsAt(Point.AFTER_INSERT),
                c -> c.ghosts() > 0);
    }

    @Test
    void claimWithoutALockSendsTwice() {
        caught(WrongEngine.CLAIM_WITHOUT_LOCK, Mode.AT_LEAST_ONCE, 2, business(), c -> c.tooOften() > 0);
    }

    @Test
    void clocksOfTheNodesDoNotTellTheOrder() {
        caught(
                WrongEngine.ORDER_BY_JVM_CLOCK,
                Mode.EXACTLY_ONCE,
                2,
                killsAt(Point.AFTER_CLAIM),
                c -> c.outOfOrder() > 0 || c.lost() > 0);
    }

    @Test
    void retryThatBlocksNoKeyLetsFollowersPass() {
        caught(WrongEngine.RETRY_LETS_FOLLOWERS_PASS, Mode.EXACTLY_ONCE, 1, business(), c -> c.outOfOrder() > 0);
    }

    @Test
    void handlerThatWorksOutsideOfItsTransactionTakesEffectTwice() {
        caught(
                WrongEngine.WORK_OUTSIDE_THE_TRANSACTION,
                Mode.HANDLER,
                1,
                killsAt(Point.AFTER_LAST_SEND),
                c -> c.tooOften() > 0);
    }

    @Test
    void retryThatBlocksNoKeyLetsFollowersOfAHandlerPass() {
        caught(WrongEngine.RETRY_LETS_FOLLOWERS_PASS, Mode.HANDLER, 1, business(), c -> c.outOfOrder() > 0);
    }

    @Test
    void acceptThatCommitsApartFromTheAcknowledgementTakesEffectTwice() {
        Map<String, String> sentOnce = Map.of("outbox.dispatcher.delivery", "exactly-once");
        Scenario kill = run -> {
            // A copy is not recognized by the stored message either.
            services.execute(
                    run.name(),
                    "DROP INDEX outbox_message_id",
                    "CREATE INDEX outbox_message_id ON outbox_message (message_id)");
            run.killAt(Point.AFTER_ACCEPT);
        };
        // What operators replay is sent again, so it proves nothing.
        Pattern copy = Pattern.compile("too many copies.*(ORDERED|KEYLESS|DELAYED).*");
        caught(WrongEngine.ACCEPT_APART, Mode.INBOX, 1, sentOnce, kill, c -> c.faults().stream()
                .anyMatch(copy.asMatchPredicate()));
    }

    @Test
    void acceptsOfOneKeyWithoutItsLockPassEachOther() {
        // Any node receives messages of any key.
        Map<String, String> ungrouped = Map.of("outbox.destinations.default.group-id", "none");
        Scenario pause = run -> run.suspendAt(Point.AFTER_ACCEPT, Duration.ofSeconds(3));
        passes(Mode.INBOX, 2, ungrouped, pause);
        caught(WrongEngine.KEY_NOT_LOCKED, Mode.INBOX, 2, ungrouped, pause, c -> c.outOfOrder() > 0);
    }

    @Test
    void unfencedSettlingByALeaseThatRanOutSendsMoreThanOneCopy() {
        Scenario pause = run -> run.suspendAt(Point.BETWEEN_COMMITS, LEASE_AND_MORE);
        passes(Mode.LEASE, 2, pause);
        caught(WrongEngine.UNFENCED_SETTLE, Mode.LEASE, 2, pause, c -> c.tooOften() > 0);
    }

    @Test
    void purgeWithoutItsRecheckDeletesWhatAnOperatorBroughtBack() {
        passes(Mode.EXACTLY_ONCE, 1, this::replayUnderThePurge);
        caught(WrongEngine.PURGE_WITHOUT_RECHECK, Mode.EXACTLY_ONCE, 1, this::replayUnderThePurge, c -> c.lost() > 0);
    }

    /**
     * Replays while the purge waits at its point. The destination is paused, so that a replayed message is still
     * pending when the purge continues. The run has one node, since the purge of another node would remove the rows
     * first.
     */
    private void replayUnderThePurge(CrashRun run) {
        NodeProcess node = run.nodes().get(0);
        run.stopAt(node, Point.PURGE_FOUND);
        services.execute(run.name(), "UPDATE outbox_control SET paused = 1 WHERE destination = 'default'");
        node.replayMany();
        NodeProcess.pause(3000);
        node.go();
        NodeProcess.pause(2000);
        services.execute(run.name(), "UPDATE outbox_control SET paused = 0 WHERE destination = 'default'");
    }

    @Test
    void claimThatDoesNotLookForRowsInDoubtStops() {
        assertThat(stuckBehindADeadNode(null)).isEmpty();
        Set<String> stuck = Set.of();
        // The batch of the dead node may have a message of each key of its partitions. Then no other key can wait.
        for (int kill = 0; kill < 10 && stuck.isEmpty(); kill++) {
            stuck = stuckBehindADeadNode(WrongEngine.NO_LOCK_PROBE);
        }
        assertThat(stuck).as("what waits for a dead node after ten kills").isNotEmpty();
    }

    private Set<String> stuckBehindADeadNode(WrongEngine wrong) {
        try (CrashRun run = run(wrong, Mode.EXACTLY_ONCE, 2, Map.of())) {
            run.start(0);
            NodeProcess node = run.nodes().get(0);
            run.stopAt(node, Point.BOTH_PREPARED);
            run.kill(node, Point.BOTH_PREPARED);
            return DoubtCheck.stuck(services, run, Duration.ofSeconds(45));
        }
    }

    @Test
    void lostWakeUpDelaysMessages() {
        assertThat(lateWithoutPolling(null)).isEmpty();
        assertThat(lateWithoutPolling(WrongEngine.WAKE_UP_LOST))
                .as("what is late without any kill")
                .isNotEmpty();
    }

    /** The timer polls once a minute. A message that arrives earlier was sent after a wake-up. */
    private Set<String> lateWithoutPolling(WrongEngine wrong) {
        // The harness shortens an interval of a minute to that of the purge.
        Map<String, String> minute = Map.of("outbox.dispatcher.interval", "PT60S", "harness.purge-millis", "60000");
        try (CrashRun run = run(wrong, Mode.EXACTLY_ONCE, 1, minute)) {
            run.start(0);
            NodeProcess.pause(3000);
            Set<String> late = new HashSet<>(
                    services.query(run.name(), "SELECT payload FROM business_event WHERE payload LIKE '%ORDERED%'"));
            long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (!late.isEmpty() && System.nanoTime() < end) {
                NodeProcess.pause(100);
                late.removeIf(run.book()::hasArrived);
            }
            return late;
        }
    }

    private static Scenario killsAt(Point point) {
        return run -> run.killAt(point);
    }

    /** A scenario without a fault. */
    private static Scenario business() {
        return run -> NodeProcess.pause(5000);
    }

    private void passes(Mode mode, int nodes, Scenario scenario) {
        passes(mode, nodes, Map.of(), scenario);
    }

    private void passes(Mode mode, int nodes, Map<String, String> configuration, Scenario scenario) {
        try (CrashRun run = run(null, mode, nodes, configuration)) {
            run.start(0);
            scenario.play(run);
            assertGood(run);
        }
    }

    private void caught(WrongEngine wrong, Mode mode, int nodes, Scenario scenario, Predicate<Counts> expected) {
        caught(wrong, mode, nodes, Map.of(), scenario, expected);
    }

    private void caught(
            WrongEngine wrong,
            Mode mode,
            int nodes,
            Map<String, String> configuration,
            Scenario scenario,
            Predicate<Counts> expected) {
        int faults = 0;
        for (int i = 0; i < TRIES; i++) {
            // With one seed for all tries, each of them would arm the same point of the same node.
            try (CrashRun run = run(wrong, mode, nodes, configuration, seed + i)) {
                run.start(0);
                NodeProcess.pause(2000);
                scenario.play(run);
                faults += run.faults();
                Counts counts = run.finish(DRAIN);
                if (expected.test(counts)) {
                    System.out.printf(
                            "%s: caught after %d fault(s): %s%n",
                            wrong,
                            faults,
                            counts.faults()
                                    .subList(0, Math.min(3, counts.faults().size())));
                    return;
                }
            }
        }
        throw new AssertionError(wrong + " was not caught after " + faults + " faults, with -Dcrash.seed=" + seed);
    }

    private CrashRun run(WrongEngine wrong, Mode mode, int nodes, Map<String, String> configuration) {
        return run(wrong, mode, nodes, configuration, seed);
    }

    private CrashRun run(WrongEngine wrong, Mode mode, int nodes, Map<String, String> configuration, long seedOfRun) {
        Map<String, String> all = new TreeMap<>(configuration);
        // The first purge comes late and finds many rows, so that the operator can replay some of them.
        all.putIfAbsent("harness.purge-millis", "20000");
        if (mode == Mode.LEASE) {
            // A node that was suspended must find its rows settled, and not deleted.
            all.put("outbox.retention.published", "PT1H");
        }
        return new CrashRun(services, mode, nodes, seedOfRun, wrong, all);
    }

    private interface Scenario {
        void play(CrashRun run);
    }
}
