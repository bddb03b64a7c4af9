package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.external.Landscape.SOON;
import static dev.cdioutbox.tests.external.Landscape.secondsSince;
import static dev.cdioutbox.tests.external.Landscape.tell;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The broker dies between the prepare and the end of a batch's commit, at exactly that place, and followers of the batch's keys
 * are written while it is away. The connection factory is a reference with a commit-priority.
 */
@ExtendWith(Landscape.Started.class)
class BrokerDeathIT {
    private static Landscape landscape;
    private Ledger ledger;

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
        landscape.broker.dieBeforeCommitOf("news");
        assertNothingIsLostDoubledOrOvertaken(1);
    }

    @Test
    void nothingIsLostDoubledOrOvertakenWhenTheBrokerDiesBeforeItAnswers() {
        landscape.broker.dieAfterCommitOf("news");
        assertNothingIsLostDoubledOrOvertaken(0);
    }

    private void assertNothingIsLostDoubledOrOvertaken(int inDoubt) {
        landscape.pile(80);
        landscape.broker.awaitDeath(SOON);
        landscape.pile(80);
        landscape.broker.start();
        long back = System.nanoTime();
        assertThat(landscape.broker.inDoubt()).isGreaterThanOrEqualTo(inDoubt);
        landscape.awaitQuiet();
        tell("broker killed at its commit: all is out %.1f s after its return", secondsSince(back));
        ledger.read("news", "copy.news");
        ledger.assertEachStoredMessageOnce("news");
        ledger.assertOrderOfEachKey("news");
    }
}
