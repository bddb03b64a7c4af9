package dev.cdioutbox.tests.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

import jakarta.inject.Inject;

import dev.cdioutbox.tests.jdbc.CountedDataSource;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A transaction sends its events to the database in one batch for each of two tables, and in one branch. */
@ExtendWith(ArquillianExtension.class)
class OneBatchIT {
    @Inject
    Desk desk;

    @Deployment
    static WebArchive tests() {
        return CaptureArchive.ours("jdbc/counted");
    }

    @Test
    void transactionHasOneBatchForATableAndOneBranchHoweverManyItsEventsAre() {
        for (int events : new int[] {1, 10, 10_000}) {
            Trial trial = desk.trial();
            List<String> calls = callsOf(
                    () -> trial.play(() -> IntStream.rangeClosed(1, events).forEach(i -> trial.fire())));
            assertThat(calls)
                    .as("%d event(s)", events)
                    .satisfiesExactly(
                            call -> assertThat(call).isEqualTo("start"),
                            call -> assertThat(call).contains("INSERT INTO capture_booking"),
                            call -> assertThat(call).startsWith("executeBatch").contains("INSERT INTO capture_message"),
                            call -> assertThat(call).startsWith("executeBatch").contains("INSERT INTO capture_queue"),
                            call -> assertThat(call).isEqualTo("commit in one phase"));
            assertThat(desk.stored().tokens(trial.key())).hasSize(events);
        }
    }

    @Test
    void transactionWithoutEventsCostsNothing() {
        Trial trial = desk.trial();
        assertThat(callsOf(() -> trial.play(() -> {}))).hasSize(3).noneMatch(call -> call.contains("capture_message"));
    }

    /** The calls of the driver on the current thread. */
    private static List<String> callsOf(Runnable work) {
        Queue<String> calls = new ConcurrentLinkedQueue<>();
        System.getProperties().put(CountedDataSource.CALLS, calls);
        try {
            work.run();
        } finally {
            System.getProperties().remove(CountedDataSource.CALLS);
        }
        String thread = Thread.currentThread().getId() + " ";
        return calls.stream()
                .filter(call -> call.startsWith(thread))
                .map(call -> call.substring(thread.length()).replace("\"PUBLIC\".", ""))
                .toList();
    }
}
