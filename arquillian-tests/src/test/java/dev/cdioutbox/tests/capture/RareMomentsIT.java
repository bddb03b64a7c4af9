package dev.cdioutbox.tests.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import jakarta.inject.Inject;

import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** No event is lost in a place where an application rarely fires one. */
@ExtendWith(ArquillianExtension.class)
class RareMomentsIT {
    /** Above the server's limit of nested synchronizations, which is five: the server rolls the transaction back. */
    private static final int DEEPER_THAN_THE_LIMIT = 12;

    @Inject
    Desk desk;

    @Inject
    Transactionals transactionals;

    @Inject
    SynchronizedBean synchronizedBean;

    @Inject
    OfOneTransaction ofOneTransaction;

    @Inject
    Beginning beginning;

    @Deployment
    static WebArchive tests() {
        return CaptureArchive.ours("jdbc/counted");
    }

    @Test
    void eventsOfTheStartOfTheApplicationAreStored() {
        assertThat(desk.stored().tokens(beginning.key()))
                .containsExactlyInAnyOrder(Beginning.STARTED, Beginning.INITIALIZED);
    }

    @Test
    void eventOfAnExtensionBeforeThereIsAnOutboxIsRefused() {
        assertThat(ObjectorExtension.refusal().code()).isEqualTo("OBX-0116");
    }

    @Test
    void eventThatAnEnricherFiresIsStoredBeforeTheOneItEnriches() {
        Trial trial = desk.trial();
        trial.play(() -> trial.fire(ChattyEnricher.ASKED, Noted::new));
        assertThat(desk.stored().tokens(trial.key())).containsExactly(ChattyEnricher.ANSWER, ChattyEnricher.ASKED);
    }

    /** CDI cannot resolve the type of such an object, and throws. */
    @Test
    void eventWithoutTheTypeArgumentOfItsClassIsRefused() {
        class Generic<T> extends Told {
            private final T content;

            Generic(String key, T content) {
                super(key, "generic");
                this.content = content;
            }

            T content() {
                return content;
            }
        }
        Trial trial = desk.trial();
        trial.play(() -> trial.fireAndIgnore("generic", (key, token) -> new Generic<>(key, token)));
        assertThat(trial.refusals()).singleElement().isInstanceOf(IllegalArgumentException.class);
        trial.judge();
    }

    @Test
    void eventOfASessionSynchronizationIsStoredBeforeTheCommitAndRefusedAfterIt() {
        Trial trial = desk.trial();
        trial.play(() -> synchronizedBean.enlist(trial::fire, trial::fireAndIgnore))
                .assertCommitted("1");
        assertThat(trial.refusals()).hasSize(1);
    }

    @Test
    void eventOfTheEndOfATransactionScopedBeanIsRefused() {
        Trial trial = desk.trial();
        trial.play(() -> {
                    trial.fire();
                    ofOneTransaction.atTheEnd(trial::fireAndIgnore);
                })
                .assertCommitted("1");
        assertThat(trial.refusals()).hasSize(1);
    }

    @Test
    void newTransactionsDuringAndAfterTheCommitKeepTheirEvents() {
        for (When when : When.values()) {
            if (when != When.IN_AFTER_FAILURE) {
                Trial outer = desk.trial();
                Trial inner = desk.trial();
                outer.play(() -> {
                    outer.fire();
                    desk.at(when, () -> inner.play(inner::fire));
                });
                assertThatCode(() -> outer.assertCommitted("1")).as(when.name()).doesNotThrowAnyException();
                assertThatCode(() -> inner.assertCommitted("1")).as(when.name()).doesNotThrowAnyException();
            }
        }
    }

    @Test
    void eventsOfSynchronizationsWithinSynchronizationsAreStoredHoweverDeep() {
        for (int depth = 1; depth <= DEEPER_THAN_THE_LIMIT; depth++) {
            Trial trial = desk.trial();
            int levels = depth;
            trial.play(() -> within(levels, trial::fire));
            assertThatCode(trial::judge).as("depth %d", depth).doesNotThrowAnyException();
        }
    }

    private void within(int levels, Runnable work) {
        if (levels == 0) {
            work.run();
        } else {
            desk.at(When.IN_AN_INTERPOSED_SYNCHRONIZATION, () -> within(levels - 1, work));
        }
    }

    @Test
    void transactionalObserverThatFailsNeverPartsWhatFireSaidFromWhatIsStored() {
        for (When when : When.values()) {
            Trial trial = desk.trial();
            trial.play(() -> desk.at(when, () -> trial.fireAndIgnore(Objector.BEFORE_COMPLETION, Noted::new)));
            assertThatCode(trial::judge).as(when.name()).doesNotThrowAnyException();
        }
    }

    @Test
    void eventOfASuspendedTransactionIsRefused() {
        Trial trial = desk.trial();
        trial.play(() -> {
                    trial.fire();
                    desk.suspended(trial::fireAndIgnore);
                    trial.fire();
                })
                .assertCommitted("1", "3");
        Refusals.assertRefused(trial, "OBX-0101", Noted.class);
    }

    @Test
    void transactionThatIsNotToBeRolledBackIsRolledBackWithoutItsEvent() {
        Trial committed = desk.trial();
        assertThatCode(() -> transactionals.inSpiteOfFailures(() -> {
                    committed.book();
                    committed.fire();
                    throw new IllegalStateException("no reason to roll back");
                }))
                .hasMessage("no reason to roll back");
        committed.assertCommitted("1");

        Trial refused = desk.trial();
        assertThatCode(() -> transactionals.inSpiteOfFailures(() -> {
                    refused.book();
                    refused.fire(Stubborn.CHECKED, Stubborn::new);
                }))
                .isInstanceOf(RuntimeException.class);
        refused.assertRolledBack();
    }
}
