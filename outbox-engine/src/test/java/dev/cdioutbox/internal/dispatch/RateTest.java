package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.spi.DestinationId;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guards that a destination gets no more than its rate, and that no thread, partition or transaction waits for it. */
@Tag("database")
class RateTest {
    @AutoClose
    private final DispatchScene scene = new DispatchScene();

    private final List<DestinationId> heldBack = new ArrayList<>();
    private final List<Duration> timers = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong();
    private final Dispatcher dispatcher = scene.dispatcher(scene.broker, nanos::get, List.of(new DispatchListener() {
        @Override
        public void heldBack(DestinationId destination) {
            heldBack.add(destination);
        }
    }));
    private final DestinationWorker worker = DispatchScene.workerOf(dispatcher);

    @Test
    void restWaitsForATimerInItsOrder() {
        dispatcher.useTimer((who, delay) -> timers.add(delay));
        rate(8);
        scene.write(numbered(0, 20, 20));

        worker.poll();
        assertThat(scene.broker.texts()).hasSize(8);
        assertThat(heldBack).containsExactly(worker.id());
        assertThat(worker.partitionsHeld()).isZero();
        assertThat(timers).last().isEqualTo(Duration.ofMillis(250));

        worker.wakeForDue();
        worker.poll();
        assertThat(scene.broker.texts()).hasSize(8);
        nanos.addAndGet(Duration.ofMillis(500).toNanos());
        worker.poll();
        assertThat(scene.broker.texts()).hasSize(12);

        nanos.addAndGet(Duration.ofHours(1).toNanos());
        worker.poll();
        assertThat(scene.broker.texts()).hasSize(20).doesNotHaveDuplicates();
    }

    @Test
    void changeOfTheRateIsInForceAtOnce() {
        rate(2);
        scene.write(numbered(0, 20, 20));
        worker.poll();
        assertThat(scene.broker.texts()).hasSize(2);

        scene.configure(() -> scene.config);
        worker.poll();
        assertThat(scene.broker.texts()).hasSize(20);
    }

    /** A claim that finds nothing takes nothing from the rate. */
    @Test
    void idleDestinationKeepsItsRate() {
        rate(8);
        for (int look = 0; look < 10; look++) {
            worker.poll();
        }
        scene.write(numbered(0, 8, 8));

        worker.poll();

        assertThat(scene.broker.texts()).hasSize(8);
    }

    private void rate(int messages) {
        scene.configure(() -> DispatchScene.config("outbox.destinations.default.dispatcher.rate", "" + messages));
    }
}
