package dev.cdioutbox.tests.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.List;

import jakarta.inject.Inject;

import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** For each fired event: the row commits with the transaction, or the transaction is rolled back, or fire() throws. */
@Tag("decisive")
@ExtendWith(ArquillianExtension.class)
class CaptureCasesIT {
    @Inject
    Desk desk;

    @Deployment
    static WebArchive tests() {
        return CaptureArchive.ours("jdbc/counted", "outbox.payload.max-size=1000");
    }

    @Test
    void everyScenarioHolds() {
        for (Scenario scenario : Scenario.values()) {
            assertThatCode(() -> scenario.play(desk)).as(scenario.name()).doesNotThrowAnyException();
        }
    }

    @Test
    void callerHearsWhichEventTheSerializerRefused() {
        Trial trial = desk.trial();
        trial.play(() -> trial.fireAndIgnore(Stubborn.CHECKED, Stubborn::new)).assertRolledBack();
        Refusals.assertRefused(trial, "OBX-0108", Stubborn.class);
    }

    @Test
    void callerHearsOfWhichEventTheSerializerThrewAnError() {
        Trial trial = desk.trial();
        trial.play(() -> trial.fireAndIgnore(Stubborn.ERROR, Stubborn::new)).assertRolledBack();
        Refusals.assertRefused(trial, "OBX-0108", Stubborn.class);
    }

    @Test
    void callerHearsWhichEventIsTooLarge() {
        Trial trial = desk.trial();
        trial.play(() -> trial.fireAndIgnore("x".repeat(1000), Noted::new)).assertRolledBack();
        Refusals.assertRefused(trial, "OBX-0109", Noted.class);
    }

    @Test
    void callerHearsWhichEventsTheDatabaseRefused() {
        desk.stored().refusePoison();
        Trial trial = desk.trial();
        trial.play(() -> trial.fire(Poison::new)).assertRolledBack();
        assertThat(trial.refusals()).singleElement().satisfies(told -> assertThat(told)
                .hasStackTraceContaining("OBX-0110: 1 event(s) ([" + Poison.TYPE));
    }

    @Test
    void callerHearsThatTheTableIsGone() {
        Trial trial = desk.trial();
        desk.stored().execute("ALTER TABLE " + Stored.table() + " RENAME TO gone");
        try {
            trial.play(trial::fire);
        } finally {
            desk.stored().execute("ALTER TABLE gone RENAME TO " + Stored.table());
        }
        trial.assertRolledBack();
        assertThat(trial.refusals()).singleElement().satisfies(told -> assertThat(told)
                .hasStackTraceContaining("OBX-0110: 1 event(s) ([capture.noted])"));
    }

    @Test
    void insertThatFailsAfterAnotherOfTheSameTransactionRollsBothBack() {
        desk.stored().refusePoison();
        Trial trial = desk.trial();
        trial.play(() -> {
                    trial.fire();
                    desk.at(When.IN_A_LATE_SYNCHRONIZATION, () -> trial.fire(Poison::new));
                })
                .assertRolledBack();
        assertThat(trial.refusals()).hasSize(1);
    }

    @Test
    void everyMomentBeforeTheCommitIsInTime() {
        for (When when : When.values()) {
            if (when.isBeforeTheCommit()) {
                Trial trial = desk.trial();
                trial.play(() -> desk.at(when, trial::fire));
                assertThatCode(() -> trial.assertCommitted("1")).as(when.name()).doesNotThrowAnyException();
            }
        }
    }

    @Test
    void eventsOfAllMomentsOfOneTransactionAreStored() {
        Trial trial = desk.trial();
        trial.play(() -> List.of(When.values()).stream()
                .filter(When::isBeforeTheCommit)
                .forEach(when -> desk.at(when, () -> trial.fire(when.name(), Noted::new))));
        trial.judge();
        assertThat(desk.stored().tokens(trial.key())).hasSize((int)
                List.of(When.values()).stream().filter(When::isBeforeTheCommit).count());
    }

    @Test
    void eventOfAfterFailureIsRefused() {
        Trial trial = desk.trial();
        trial.play(() -> {
                    desk.at(When.IN_AFTER_FAILURE, trial::fireAndIgnore);
                    desk.registry().setRollbackOnly();
                })
                .assertRolledBack();
        // The server has already removed the transaction from the thread.
        Refusals.assertRefused(trial, "OBX-0101", Noted.class);
    }

    @Test
    void failureInTheFlushRollsBack() {
        Trial trial = desk.trial();
        trial.play(() -> desk.at(When.IN_THE_FLUSH, () -> trial.fireAndIgnore(Stubborn.CHECKED, Stubborn::new)))
                .assertRolledBack();
    }

    /**
     * The container swallows an exception of an observer before completion, so the capture must also mark the
     * transaction rollback-only.
     */
    @Test
    void failureInAnObserverRollsBack() {
        for (When when : List.of(When.IN_A_FIRST_OBSERVER, When.IN_A_LAST_OBSERVER)) {
            Trial trial = desk.trial();
            trial.play(() -> desk.at(when, () -> trial.fire(Stubborn.CHECKED, Stubborn::new)))
                    .assertRolledBack();
        }
    }

    @Test
    void failureInASynchronizationRollsBack() {
        for (When when : List.of(When.IN_AN_INTERPOSED_SYNCHRONIZATION, When.IN_A_SYNCHRONIZATION)) {
            Trial trial = desk.trial();
            trial.play(() -> desk.at(when, () -> trial.fireAndIgnore(Stubborn.CHECKED, Stubborn::new)))
                    .assertRolledBack();
        }
    }

    @Test
    void equalEventsAreTwo() {
        Trial trial = desk.trial();
        trial.play(() -> {
                    trial.fire("same", Noted::new);
                    trial.fire("same", Noted::new);
                })
                .assertCommitted("same", "same");
    }

    @Test
    void eventThatAnObserverOfTheApplicationRefusesIsNotStored() {
        for (String token : List.of(Objector.FIRST, Objector.HIGHEST, Objector.NEGATIVE, Objector.SYNTHETIC)) {
            Trial trial = desk.trial();
            trial.play(() -> {
                trial.fire();
                trial.fireAndIgnore(token, Noted::new);
            });
            assertThat(trial.refusals()).as(token).isNotEmpty();
            assertThatCode(trial::judge).as(token).doesNotThrowAnyException();
        }
    }

    @Test
    void observerOfTheApplicationThatFailsBeforeCompletionChangesNothing() {
        Trial trial = desk.trial();
        trial.play(() -> trial.fire(Objector.BEFORE_COMPLETION, Noted::new))
                .assertCommitted(Objector.BEFORE_COMPLETION);
    }

    @Test
    void typeIsTheNameThatAProgrammerGave() {
        Trial trial = desk.trial();
        trial.play(() -> {
            trial.fire();
            trial.fire((key, token) -> new Told(key, token) {});
            trial.fire(Told::new);
        });
        assertThat(desk.stored()
                        .texts(
                                "SELECT event_type FROM " + Stored.table() + " WHERE message_key = ? ORDER BY seq",
                                trial.key()))
                .containsExactly("capture.noted", "Told", "Told");
    }
}
