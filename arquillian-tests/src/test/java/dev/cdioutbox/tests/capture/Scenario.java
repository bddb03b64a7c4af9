package dev.cdioutbox.tests.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Consumer;

import dev.cdioutbox.tests.capture.hidden.Hidden;

/**
 * The cases in which a simple outbox loses an event silently. The outbox holds in each; {@link NaiveExtension} shows
 * that each can fail.
 */
public enum Scenario {
    EVENT_OF_THE_COMMIT_TIME_FLUSH(lateAt(When.IN_THE_FLUSH)),
    EVENT_OF_AN_INTERPOSED_SYNCHRONIZATION(lateAt(When.IN_AN_INTERPOSED_SYNCHRONIZATION)),
    EVENT_OF_A_SYNCHRONIZATION(lateAt(When.IN_A_SYNCHRONIZATION)),
    EVENT_OF_A_LATE_SYNCHRONIZATION(lateAt(When.IN_A_LATE_SYNCHRONIZATION)),
    EVENT_OF_AFTER_SUCCESS(refusedAt(When.IN_AFTER_SUCCESS)),
    EVENT_OF_AFTER_COMPLETION(refusedAt(When.IN_AFTER_COMPLETION)),
    EVENT_OF_AFTER_COMPLETION_OF_A_SYNCHRONIZATION(refusedAt(When.IN_AFTER_COMPLETION_OF_A_SYNCHRONIZATION)),

    EVENT_WITHOUT_TRANSACTION(desk -> {
        Trial trial = desk.trial();
        desk.ejb().notSupported(trial::fireAndIgnore);
        trial.judge();
        assertThat(trial.refusals()).hasSize(1);
    }),

    EVENT_OF_FIRE_ASYNC(desk -> {
        Trial trial = desk.trial();
        trial.play(trial::fireAsync).assertCommitted();
        assertThat(trial.refusals()).hasSize(1);
    }),

    EVENT_OF_A_TYPE_THAT_NOBODY_DISCOVERED(desk -> {
        Trial trial = desk.trial();
        trial.play(() -> trial.fire(Hidden::new)).assertCommitted("1");
    }),

    EVENT_THAT_THE_SERIALIZER_REFUSES(desk -> {
        Trial trial = desk.trial();
        trial.play(() -> trial.fireAndIgnore(Stubborn.CHECKED, Stubborn::new)).assertRolledBack();
    }),

    EVENT_THAT_THE_DATABASE_REFUSES(desk -> {
        desk.stored().refusePoison();
        Trial trial = desk.trial();
        trial.play(() -> {
                    trial.fire();
                    trial.fire(Poison::new);
                })
                .assertRolledBack();
        assertThat(trial.refusals()).hasSize(1);
    });

    private final Consumer<Desk> script;

    Scenario(Consumer<Desk> script) {
        this.script = script;
    }

    void play(Desk desk) {
        script.accept(desk);
    }

    /** Also fires and writes another event first, so that the late event needs a write of its own. */
    private static Consumer<Desk> lateAt(When when) {
        return desk -> {
            Trial alone = desk.trial();
            alone.play(() -> desk.at(when, alone::fire)).assertCommitted("1");
            Trial second = desk.trial();
            second.play(() -> {
                        second.fire();
                        desk.at(when, second::fire);
                    })
                    .assertCommitted("1", "2");
        };
    }

    private static Consumer<Desk> refusedAt(When when) {
        return desk -> {
            Trial trial = desk.trial();
            trial.play(() -> {
                        trial.fire();
                        desk.at(when, trial::fireAndIgnore);
                    })
                    .assertCommitted("1");
            // The server has already removed the transaction from the thread.
            Refusals.assertRefused(trial, "OBX-0101", Noted.class);
            assertThat(trial.refusals()).hasSize(1);
        };
    }
}
