package dev.cdioutbox.tests.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import jakarta.inject.Inject;

import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The negative control: a naive outbox loses the event in each scenario, so the scenarios can fail. */
@Tag("full")
@ExtendWith(ArquillianExtension.class)
class NaiveCaptureIT {
    @Inject
    Desk desk;

    @Deployment
    static WebArchive tests() {
        return CaptureArchive.naive("jdbc/counted");
    }

    @Test
    void ordinaryEventIsStored() {
        Trial trial = desk.trial();
        trial.play(trial::fire).assertCommitted("1");
    }

    @Test
    void everyScenarioFails() {
        for (Scenario scenario : Scenario.values()) {
            assertThat(catchThrowable(() -> scenario.play(desk)))
                    .as(scenario.name())
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("stored events");
        }
    }

    /** The naive outbox writes before the flush, and so before the transaction locks the business row. */
    @Test
    void rowsOfOneKeyAreOutOfOrder() {
        Race race = new Race(desk).overABusinessRow(500);
        assertThat(race.stored()).hasSize(1000).isNotEqualTo(race.committed());
    }
}
