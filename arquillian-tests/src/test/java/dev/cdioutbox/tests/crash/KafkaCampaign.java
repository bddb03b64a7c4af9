package dev.cdioutbox.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Exactly once into Kafka: no message is lost, doubled or out of order after five hundred kills, with zombies and outages
 * between them; and a marker protocol with a planted fault is caught. The profile {@code crash} runs this test.
 */
@Timeout(value = 2, unit = TimeUnit.HOURS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KafkaCampaign extends CrashTest {
    /** How long a fault must last so that Kafka aborts the open transaction, and another node takes over. */
    private static final Duration TAKE_OVER = Duration.ofSeconds(10);

    /** A kill may hit a moment at which a planted fault does no harm. */
    private static final int MOST_RUNS = 5;

    private final int kills = Integer.getInteger("crash.kills", 500);
    private final Random random = new Random(seed);

    @Test
    void nothingIsLostOrDoubledOrOutOfOrderAfterHundredsOfKills() {
        CrashLedger ledger = new CrashLedger(seed);
        for (int nodes = 1; nodes <= 3; nodes++) {
            run(nodes, kills / 3 + (nodes <= kills % 3 ? 1 : 0), ledger);
        }
        ledger.append(Path.of(System.getProperty("test.target"), "crash-runs.csv"));
        assertGood(ledger.counts());
        assertThat(ledger.kills()).isGreaterThanOrEqualTo(kills);
    }

    private void run(int nodes, int share, CrashLedger ledger) {
        try (CrashRun run = run(null, nodes)) {
            run.start(1);
            Map<String, Integer> otherFaults = run.killAtAllPoints(share, () -> otherFault(run));
            Counts counts = run.finish();
            ledger.add(Mode.MARKER, nodes, run.kills(), otherFaults, run.takeOvers(), counts);
            System.out.printf("%d nodes, seed %d: %s, %s, %s%n", nodes, seed, run.kills(), otherFaults, counts);
        }
    }

    private String otherFault(CrashRun run) {
        List<Point> points = List.of(
                Point.MID_SEND, Point.AFTER_LAST_SEND, Point.BETWEEN_COMMITS, Point.DURING_SETTLE, Point.TAKEN_OVER);
        Point point = points.get(random.nextInt(points.size()));
        switch (random.nextInt(5)) {
            case 0:
                run.suspendAt(point, TAKE_OVER);
                return "node suspended for longer than the transaction time-out of Kafka";
            case 1, 2:
                run.reviveAt(point, TAKE_OVER);
                return "node suspended without its database connections";
            case 3:
                run.cutConnectionsAt(point);
                return "database connections cut at a point";
            default:
                run.awaitAllReady();
                services.restartKafka();
                run.countFaultOfAllNodes();
                return "Kafka restarted";
        }
    }

    @Test
    void withoutFencingAZombieSendsTwice() {
        assertGood(afterAZombie(null));
        assertThat(afterAZombie(WrongEngine.NO_FENCING).tooOften()).isPositive();
    }

    /** Only the fencing can end the zombie's transaction: Kafka would wait for longer. */
    private Counts afterAZombie(WrongEngine wrong) {
        Map<String, String> patient =
                Map.of("harness.transaction-timeout", "10", "outbox.kafka.transaction.timeout.ms", "30000");
        try (CrashRun run = new CrashRun(services, Mode.MARKER, 2, random.nextLong(), wrong, patient)) {
            run.start(0);
            run.reviveAfterTakeOver(Point.AFTER_LAST_SEND);
            return run.finish();
        }
    }

    @Test
    void markerAfterItsBatchSendsTwice() {
        caught(WrongEngine.MARKER_APART, 1, run -> run.killAt(Point.BETWEEN_COMMITS), c -> c.tooOften() > 0);
    }

    @Test
    void settlementBeforeTheCommitLosesMessages() {
        caught(WrongEngine.SETTLE_BEFORE_COMMIT, 1, run -> run.killAt(Point.BUSINESS_COMMITTED), c -> c.lost() > 0);
    }

    private void caught(WrongEngine wrong, int nodes, Consumer<CrashRun> fault, Predicate<Counts> expected) {
        Counts counts = Counts.none();
        for (int i = 0; i < MOST_RUNS && !expected.test(counts); i++) {
            try (CrashRun run = run(wrong, nodes)) {
                run.start(0);
                fault.accept(run);
                counts = run.finish(TAKE_OVER);
            }
        }
        assertThat(counts).as("with -Dcrash.seed=%d", seed).matches(expected, wrong.name());
    }

    private CrashRun run(WrongEngine wrong, int nodes) {
        Map<String, String> configuration = Map.of("harness.transaction-timeout", "10");
        return new CrashRun(services, Mode.MARKER, nodes, random.nextLong(), wrong, configuration);
    }
}
