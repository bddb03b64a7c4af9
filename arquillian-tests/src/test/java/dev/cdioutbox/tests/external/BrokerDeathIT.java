package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.external.Landscape.awaitLog;
import static dev.cdioutbox.tests.external.Landscape.secondsSince;
import static dev.cdioutbox.tests.external.Landscape.tell;
import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;

import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.Trap.Place;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * No message is lost, doubled or overtaken when the broker dies inside the commit of a batch. While the broker is down,
 * the test writes later messages of the batch's keys. The servers use a connection factory with a commit-priority.
 */
@ExtendWith(Landscape.Started.class)
class BrokerDeathIT {
    private static Landscape landscape;
    private static Ledger ledger;
    private static List<Integer> from;

    @BeforeAll
    static void enter(Landscape started) {
        landscape = started;
    }

    @BeforeEach
    void openLedger() {
        landscape.awaitQuiet();
        ledger = new Ledger(landscape);
    }

    @Test
    void nothingIsLostDoubledOrOvertakenWhenTheBrokerDiesBeforeItCommits() {
        dieAt(Place.COMMIT);
        // The database's branch waits for the broker's, so no log line may claim a rollback or a settle.
        await().atMost(LONG).until(() -> logs().contains("OBX-0421: destination 'news'"));
        assertThat(logs()).doesNotContain("OBX-0422");
        assertNothingIsLostDoubledOrOvertaken();
    }

    @Tag("full")
    @Test
    void nothingIsLostDoubledOrOvertakenWhenTheBrokerDiesBeforeItAnswers() {
        dieAt(Place.COMMITTED);
        assertNothingIsLostDoubledOrOvertaken();
    }

    @Tag("full")
    @Test
    void withAtLeastOnceNoMoreThanTheBatchInFlightIsThereTwice() {
        deliver("at-least-once");
        dieAt(Place.COMMITTED);
        landscape.awaitQuiet();
        ledger.read("news", "copy.news");
        ledger.assertEachStoredMessageAtLeastOnce("news", Landscape.BATCH_SIZE);
        deliver("exactly-once");
    }

    private static void dieAt(Place place) {
        from = List.of(landscape.a.log().length(), landscape.b.log().length());
        landscape.broker.dieAt(place, "news");
        landscape.pile(80);
        landscape.broker.awaitDeath(LONG);
        landscape.pile(80);
        landscape.broker.start();
    }

    private static void assertNothingIsLostDoubledOrOvertaken() {
        long back = System.nanoTime();
        landscape.awaitQuiet();
        tell("broker killed at its commit: all is out %.1f s after its return", secondsSince(back));
        ledger.read("news", "copy.news");
        ledger.assertEachStoredMessageOnce("news");
        ledger.assertOrderOfEachKey("news");
    }

    private static void deliver(String how) {
        for (LibertyServer server : List.of(landscape.a, landscape.b)) {
            int before = server.log().length();
            server.set("outbox.dispatcher.delivery", how);
            // The next worker run logs the new mode.
            awaitLog(server, before, "OBX-0420: destination 'news': " + how);
        }
    }

    private static String logs() {
        return landscape.a.log().substring(from.get(0)) + landscape.b.log().substring(from.get(1));
    }
}
