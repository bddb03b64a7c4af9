package dev.cdioutbox.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import dev.cdioutbox.tests.server.FakeClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The promises hold after faults that are rarer than a kill. The profile {@code crash} runs this test. */
@Timeout(value = 30, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FaultCampaign extends CrashTest {
    /** How long a key in doubt must wait in vain. */
    private static final Duration STAND_STILL = Duration.ofSeconds(10);

    @Test
    void batchInDoubtHoldsBackItsOwnKeysOnly() {
        for (Point point :
                List.of(Point.BETWEEN_PREPARES, Point.BOTH_PREPARED, Point.COMMIT_LOGGED, Point.BETWEEN_COMMITS)) {
            batchInDoubtHoldsBackItsOwnKeysOnly(point);
        }
    }

    private void batchInDoubtHoldsBackItsOwnKeysOnly(Point point) {
        try (CrashRun run = run(Mode.EXACTLY_ONCE, 2, Map.of())) {
            run.start(0);
            NodeProcess node = run.nodes().get(0);
            run.stopAt(node, point);
            run.kill(node, point);
            DoubtCheck.othersGoOn(services, run, Duration.ofSeconds(45));
            assertGood(run);
        }
    }

    @Test
    void brokerThatCommitsAndNeverAnswersCostsNeitherMessageNorOrder() {
        try (BrokerProxy proxy =
                        new BrokerProxy(URI.create(services.broker().url()).getPort());
                CrashRun run =
                        run(Mode.EXACTLY_ONCE, 2, Map.of("harness.broker", proxy.url() + "?jms.alwaysSyncSend=true"))) {
            run.start(0);
            for (int i = 0; i < 5; i++) {
                NodeProcess node = run.nodes().get(i % 2);
                run.stopAt(node, Point.COMMIT_LOGGED);
                proxy.keepAnswersBack();
                node.go();
                NodeProcess.pause(2000);
                proxy.cut();
            }
            assertGood(run);
        }
    }

    /**
     * The procedure of docs/howto/transactions-in-doubt.md: the operator ends the broker's branch first, and then the
     * database's branch.
     */
    @Test
    void keysOfALostLogStandStillUntilAnOperatorEndsTheirBatch() {
        keysOfALostLogStandStill(Point.COMMIT_LOGGED);
        keysOfALostLogStandStill(Point.BETWEEN_COMMITS);
    }

    private void keysOfALostLogStandStill(Point point) {
        // With one batch in flight, all branches in doubt have the same outcome.
        try (CrashRun run = run(Mode.EXACTLY_ONCE, 2, Map.of("outbox.dispatcher.concurrency", "1"))) {
            run.start(0);
            NodeProcess node = run.nodes().get(0);
            run.stopAt(node, point);
            run.kill(node, point);
            Set<String> inDoubt = DoubtCheck.inDoubt(services, run.name());
            // A new log has a new identity, as on Open Liberty.
            node.nameIt("another1");
            node.start();
            node.awaitReady();
            long restarted = System.nanoTime();
            Set<String> keys = inDoubt.stream()
                    .map(BusinessEvent::parse)
                    .filter(details -> details.kind().isInOrder())
                    .map(BusinessEvent.Details::key)
                    .collect(Collectors.toSet());
            NodeProcess.pause(STAND_STILL.toMillis());
            assertThat(run.book()
                            .firstAfter(
                                    restarted, details -> details.kind().isInOrder() && keys.contains(details.key())))
                    .as("a message of a key in doubt, with -Dcrash.seed=%d", seed)
                    .isNull();
            assertThat(DoubtCheck.inDoubt(services, run.name())).containsAll(inDoubt);
            boolean brokerHasIt = services.broker().rollBackInDoubt() == 0;
            assertThat(brokerHasIt).isEqualTo(point == Point.BETWEEN_COMMITS);
            // A message that the harness refused is charged in this transaction, and was not sent. A replayed message
            // may
            // have arrived before, and be in doubt again.
            assertThat(inDoubt)
                    .filteredOn(payload -> BusinessEvent.parse(payload).kind().refusals() == 0)
                    .allMatch(payload -> run.book().hasArrived(payload) == brokerHasIt
                            || !brokerHasIt && BusinessEvent.parse(payload).kind() == BusinessEvent.Kind.REPLAYABLE);
            for (String branch : DoubtCheck.preparedInDatabase(services, run.name())) {
                services.execute(run.name(), (brokerHasIt ? "COMMIT" : "ROLLBACK") + " PREPARED '" + branch + "'");
            }
            assertGood(run);
        }
    }

    @Test
    void clocksTwoHoursApartAndADaylightChangeDoNotTouchTheOrder() {
        try (CrashRun run = run(Mode.EXACTLY_ONCE, 3, Map.of())) {
            run.nodes().get(0).with(clock("-2h", "UTC"));
            run.nodes().get(1).with(clock("+2h", "UTC"));
            // The local clock of this node goes back by an hour half a minute after its start.
            run.nodes().get(2).with(clock("@2026-10-25 00:59:30", "Europe/Berlin"));
            run.start(0);
            for (Point point : List.of(Point.BETWEEN_COMMITS, Point.MID_SEND, Point.DURING_RETRY, Point.PROMOTION)) {
                run.killAt(point);
            }
            run.nodes().get(2).awaitReady();
            NodeProcess.pause(40_000);
            assertGood(run);
        }
    }

    /**
     * @param faked see {@link FakeClock#environment(String)}
     * @param zone the time zone of the process
     */
    private static Map<String, String> clock(String faked, String zone) {
        Map<String, String> environment = new HashMap<>(FakeClock.environment(faked));
        environment.put("JAVA_TOOL_OPTIONS", "-Duser.timezone=" + zone);
        return environment;
    }
}
