package dev.cdioutbox.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * No message is lost, doubled or out of order after five hundred kills at all points, in all modes, with one, two and
 * three nodes. Suspended nodes and outages of database and broker come between. The profile {@code crash} runs this
 * test; {@code crash.modes} is a regular expression for the modes of a shorter run.
 */
@Timeout(value = 4, unit = TimeUnit.HOURS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CrashCampaign extends CrashTest {
    private static final List<Setting> SETTINGS = List.of(
            new Setting(Mode.EXACTLY_ONCE, 1),
            new Setting(Mode.EXACTLY_ONCE, 2),
            new Setting(Mode.EXACTLY_ONCE, 3),
            new Setting(Mode.AT_LEAST_ONCE, 1),
            new Setting(Mode.AT_LEAST_ONCE, 2),
            new Setting(Mode.AT_LEAST_ONCE, 3),
            new Setting(Mode.LEASE, 2),
            new Setting(Mode.LEASE, 3),
            new Setting(Mode.HANDLER, 1),
            new Setting(Mode.HANDLER, 3),
            new Setting(Mode.INBOX, 1),
            new Setting(Mode.INBOX, 3));

    /** The documented bound; a quiet machine takes a fraction of it. */
    private static final Duration MEDIAN_TAKE_OVER = Duration.ofSeconds(10);

    private final List<Setting> settings = SETTINGS.stream()
            .filter(setting -> setting.mode().name().matches(System.getProperty("crash.modes", ".*")))
            .toList();
    private final int kills = Integer.getInteger("crash.kills", 500);
    private final Random random = new Random(seed);

    @Test
    void nothingIsLostOrDoubledOrOutOfOrderAfterHundredsOfKills() {
        CrashLedger ledger = new CrashLedger(seed);
        for (int i = 0; i < settings.size(); i++) {
            int share = kills / settings.size() + (i < kills % settings.size() ? 1 : 0);
            run(settings.get(i), share, ledger);
        }
        ledger.append(Path.of(System.getProperty("test.target"), "crash-runs.csv"));
        assertGood(ledger.counts());
        assertThat(ledger.kills()).isGreaterThanOrEqualTo(kills);
        // A received message comes late if a kill leaves it in doubt at the broker, and hardly otherwise.
        assertThat(ledger.counts().setAside()).isLessThan(ledger.kills());
        assertThat(ledger.medianTakeOver())
                .as("the median take-over with -Dcrash.seed=%d", seed)
                .isLessThan(MEDIAN_TAKE_OVER);
    }

    private void run(Setting setting, int share, CrashLedger ledger) {
        Map<String, String> configuration = Map.of("harness.transaction-timeout", "10");
        try (CrashRun run =
                new CrashRun(services, setting.mode(), setting.nodes(), random.nextLong(), null, configuration)) {
            run.start(3);
            Map<String, Integer> otherFaults = run.killAtAllPoints(share, () -> otherFault(run, setting.mode()));
            Counts counts = run.finish();
            ledger.add(setting.mode(), setting.nodes(), run.kills(), otherFaults, run.takeOvers(), counts);
            System.out.printf("%s, seed %d: %s, %s, %s%n", setting, seed, run.kills(), otherFaults, counts);
        }
    }

    private String otherFault(CrashRun run, Mode mode) {
        List<Point> points = Point.of(mode);
        Point point = points.get(random.nextInt(points.size()));
        switch (random.nextInt(8)) {
            case 0:
                run.suspendAt(point, Duration.ofSeconds(1));
                return "node suspended for 1 s";
            case 1:
                run.suspendAt(point, Duration.ofSeconds(12));
                return "node suspended for 12 s (longer than lease and transaction time-out)";
            case 2, 3:
                run.cutConnectionsAt(point);
                return "database connections cut at a point";
            case 4:
                run.awaitAllReady();
                services.broker().freeze();
                NodeProcess.pause(3000);
                services.broker().thaw();
                run.countFault();
                return "broker suspended for 3 s";
            case 5:
                run.awaitAllReady();
                services.database().freeze();
                NodeProcess.pause(3000);
                services.database().thaw();
                run.countFault();
                return "database suspended for 3 s";
            case 6:
                run.awaitAllReady();
                services.restartBroker();
                run.countFaultOfAllNodes();
                return "broker killed";
            default:
                run.awaitAllReady();
                services.restartDatabase();
                run.countFaultOfAllNodes();
                return "database killed";
        }
    }

    private record Setting(Mode mode, int nodes) {}
}
