package dev.cdioutbox.tests.capture;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** With {@code outbox.ordering=row-lock}, the lock on the business row puts the rows of a key in commit order. */
@Tag("decisive")
@ExtendWith(ArquillianExtension.class)
class RowLockOrderIT {
    private static final int ROUNDS = 300;

    @Inject
    Desk desk;

    @Deployment
    static WebArchive tests() {
        return CaptureArchive.ours("jdbc/counted");
    }

    @Test
    void rowsOfOneKeyAreInTheOrderOfCommitsUnderItsBusinessRow() {
        Race race = new Race(desk).overABusinessRow(ROUNDS);
        assertThat(race.committed()).hasSize(2 * ROUNDS);
        assertThat(race.stored()).isEqualTo(race.committed());
    }

    /** The negative control of {@link StrictOrderIT}: without a lock the rows get out of order. */
    @Test
    void rowsOfOneKeyAreOutOfOrderWithoutABusinessRow() {
        Race race = new Race(desk).overNothing(500);
        assertThat(race.stored()).hasSize(1000).isNotEqualTo(race.committed());
    }
}
