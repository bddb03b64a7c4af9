package dev.cdioutbox.internal.ejb;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.dispatch.Dispatcher;
import dev.cdioutbox.internal.ejb.FakeTimers.Created;
import org.junit.jupiter.api.Test;

class WorkerTimerTest {
    private final FakeTimers timers = new FakeTimers();
    private OutboxConfig config = TestConfig.of("outbox.dispatcher.interval", "PT30S");
    private final Dispatcher dispatcher = TestDispatcher.of(() -> config);
    private final WorkerTimer timer = new WorkerTimer(dispatcher.workers().get("default"), timers.service);

    @Test
    void changedIntervalReplacesThePollsAndNothingElseDoes() {
        timer.start();
        timer.applyConfig();
        assertThat(timers.created).extracting(Created::period).containsExactly(30_000L);

        config = TestConfig.of("outbox.dispatcher.interval", "PT5S");
        timer.applyConfig();
        timer.applyConfig();

        assertThat(timers.created).extracting(Created::period).containsExactly(30_000L, 5_000L);
        assertThat(timers.cancelled).containsExactly(timers.created.get(0));
    }

    /** A delayed message or a retry does not wait for the next poll. */
    @Test
    void timerOfADueMessageRunsItsWorkerOnAnotherThread() {
        List<Runnable> started = new ArrayList<>();
        dispatcher.useThreads(started::add);

        timer.call(WorkerTimer.Reason.DUE);

        assertThat(started).hasSize(1);
    }

    /** Otherwise both would fire, and start two further ones for the same time. */
    @Test
    void timerOfAnEarlierDueMessageReplacesTheOther() {
        timer.callAfter(Duration.ofMillis(60));
        timer.callAfter(Duration.ofMillis(30));

        assertThat(timers.created).extracting(Created::first).containsExactly(61L, 31L);
        assertThat(timers.cancelled).extracting(Created::first).containsExactly(61L);
    }
}
