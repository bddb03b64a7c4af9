package dev.cdioutbox.tests.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import jakarta.inject.Inject;

import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * With {@code outbox.ordering=strict}, the rows of a key are in commit order without a business row. No thread needs a
 * second connection: the pool has one for each thread. The dispatcher polls often, on a DataSource of its own; a shared
 * pool made business threads fail.
 */
@ExtendWith(ArquillianExtension.class)
class StrictOrderIT {
    private static final int POOL = 4;
    private static final int TOGETHER = 100;
    private static final int ROUNDS = 300;

    @Inject
    Desk desk;

    @Deployment
    static WebArchive tests() {
        return CaptureArchive.ours(
                "jdbc/small",
                "outbox.ordering=strict",
                "outbox.dispatcher.interval=PT0.1S",
                "outbox.dispatcher.enabled=true",
                "outbox.dispatcher.datasource=jdbc/beside");
    }

    @Test
    void rowsOfOneKeyAreInTheOrderOfCommitsWithoutABusinessRow() {
        Race race = new Race(desk).overNothing(ROUNDS);
        assertThat(race.committed()).hasSize(2 * ROUNDS);
        assertThat(race.stored()).isEqualTo(race.committed());
    }

    @Test
    void threadsThatUseUpThePoolCommitTheirEvents() {
        List<Trial> trials = together(() -> {});
        assertThat(trials).hasSize(POOL * TOGETHER).allSatisfy(trial -> trial.assertCommitted("1", "2"));
    }

    /** The negative control: a thread that needs a second connection gets none. */
    @Tag("full")
    @Test
    void threadsThatNeedASecondConnectionStandStill() {
        assertThatThrownBy(() -> together(() -> desk.ejb().requiresNew(desk.trial()::book)))
                .satisfies(failure -> assertThat(Stream.concat(Stream.of(failure), Stream.of(failure.getSuppressed())))
                        .anySatisfy(each -> assertThat(each).hasStackTraceContaining("J2CA")));
    }

    private List<Trial> together(Runnable besides) {
        List<Trial> trials = new CopyOnWriteArrayList<>();
        CyclicBarrier allHoldAConnection = new CyclicBarrier(POOL);
        Together.run(POOL, thread -> {
            for (int i = 0; i < TOGETHER; i++) {
                Trial trial = desk.trial();
                trials.add(trial);
                try {
                    desk.ejb().requiresNew(() -> {
                        trial.book();
                        desk.entities().flush();
                        await(allHoldAConnection);
                        trial.fire();
                        desk.at(When.IN_THE_FLUSH, trial::fire);
                        besides.run();
                    });
                } catch (RuntimeException e) {
                    // Without the reset the other threads would wait for this one.
                    allHoldAConnection.reset();
                    throw e;
                }
            }
        });
        return trials;
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }
}
