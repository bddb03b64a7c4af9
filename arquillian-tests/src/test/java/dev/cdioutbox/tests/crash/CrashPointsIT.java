package dev.cdioutbox.tests.crash;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Each mode keeps its promise after a kill: exactly-once at each point from the first send to the last commit, and in the
 * full form at each named point; at-least-once, leases, handlers and the inbox at a few of them. {@link CrashCampaign} is
 * the long form. PostgreSQL runs without fsync and ActiveMQ without sync, since the test kills processes and never the
 * machine.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CrashPointsIT extends CrashTest {
    @Test
    void exactlyOnceOutlivesAKillWhileABatchIsInFlight() {
        outlives(
                Mode.EXACTLY_ONCE,
                2,
                List.of(
                        Point.MID_SEND,
                        Point.AFTER_LAST_SEND,
                        Point.DURING_SETTLE,
                        Point.BETWEEN_PREPARES,
                        Point.BOTH_PREPARED,
                        Point.COMMIT_LOGGED,
                        Point.BETWEEN_COMMITS,
                        Point.BOTH_COMMITTED),
                0);
    }

    @Tag("full")
    @Test
    void exactlyOnceOutlivesAKillAtEachPoint() {
        outlives(Mode.EXACTLY_ONCE, 2, Point.of(Mode.EXACTLY_ONCE), 2);
    }

    @Test
    void atLeastOnceRepeatsNoMoreThanTheBatchInFlight() {
        outlives(Mode.AT_LEAST_ONCE, 1, List.of(Point.MID_SEND, Point.BETWEEN_COMMITS, Point.DURING_SETTLE), 0);
    }

    @Test
    void handlerTakesEffectOnceThroughAKillWhileItWorks() {
        outlives(
                Mode.HANDLER,
                2,
                List.of(
                        Point.MID_SEND,
                        Point.AFTER_LAST_SEND,
                        Point.DURING_SETTLE,
                        Point.BUSINESS_COMMITTED,
                        Point.DURING_RETRY),
                0);
    }

    @Tag("full")
    @Test
    void handlerTakesEffectOnceThroughAKillAtEachPoint() {
        outlives(Mode.HANDLER, 2, Point.of(Mode.HANDLER), 0);
    }

    @Test
    void receivedMessageTakesEffectOnceThroughAKillWhileItIsStored() {
        outlives(
                Mode.INBOX,
                2,
                List.of(Point.BEFORE_ACCEPT, Point.AFTER_ACCEPT, Point.BETWEEN_PREPARES, Point.BETWEEN_COMMITS),
                0);
    }

    @Tag("full")
    @Test
    void receivedMessageTakesEffectOnceThroughAKillAtEachPoint() {
        outlives(Mode.INBOX, 2, Point.of(Mode.INBOX), 0);
    }

    @Test
    void leasesOutliveAKillAndAPauseThatIsLongerThanTheLease() {
        try (CrashRun run = run(Mode.LEASE, 3, Map.of())) {
            run.start(0);
            run.killAt(Point.LEASE_RENEWAL);
            run.killAt(Point.BETWEEN_COMMITS);
            // Stops the node before the fence locks the partition's row.
            run.suspendAt(Point.BETWEEN_COMMITS, Duration.ofSeconds(7));
            run.cutConnectionsAt(Point.DURING_SETTLE);
            assertGood(run);
        }
    }

    private void outlives(Mode mode, int nodes, List<Point> points, int killsInSchemaCreation) {
        try (CrashRun run = run(mode, nodes, Map.of())) {
            run.start(killsInSchemaCreation);
            List<Point> shuffled = new ArrayList<>(points);
            Collections.shuffle(shuffled, new Random(seed));
            shuffled.forEach(run::killAt);
            assertGood(run);
        }
    }
}
