package dev.cdioutbox.internal.ejb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.internal.consume.PausedConsumers;
import dev.cdioutbox.internal.dispatch.FakeBroker;
import dev.cdioutbox.internal.ejb.DispatchedOutbox.Call;
import dev.cdioutbox.internal.ejb.FakeTimers.Created;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.outbox.Outboxes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DispatchersTest {
    private final Dispatchers dispatchers = new Dispatchers();
    private final FakeTimers timers = new FakeTimers();

    @BeforeEach
    void inject() {
        dispatchers.timers = timers.service;
        dispatchers.gauges = new Gauges();
        dispatchers.paused = new PausedConsumers();
    }

    @Test
    void applicationWithoutAPublisherHasNoTimer() {
        dispatchers.outboxes = new Outboxes(List.of(TestDispatcher.outbox("default")));
        dispatchers.start();
        assertThat(timers.created).isEmpty();

        dispatchers.outboxes = new Outboxes(List.of(TestDispatcher.outbox("default", "outbox.transport", "cdc")));
        dispatchers.start();
        assertThat(timers.created)
                .as("change data capture needs the purge, and a look at the slot")
                .isNotEmpty();
    }

    /**
     * StatementCountTest counts the statements of an idle minute with these periods. Each outbox has its own timers: one whose
     * database hangs must not stop the heartbeats and leases of another.
     */
    @Test
    void eachTimerOfEachOutboxHasItsPeriod() {
        dispatchers.publishers = Map.of("jms", new FakeBroker());
        dispatchers.outboxes =
                new Outboxes(List.of(TestDispatcher.outbox("default"), TestDispatcher.outbox("billing")));

        dispatchers.start();

        Map<OutboxTimer, Duration> expected = Map.of(
                OutboxTimer.HOUSEKEEPING, Duration.ofSeconds(1),
                OutboxTimer.TABLE_CHECK, Duration.ofSeconds(10),
                OutboxTimer.HEARTBEAT, Duration.ofSeconds(10),
                OutboxTimer.BACKLOG, Duration.ofSeconds(10),
                OutboxTimer.NODES, Duration.ofMinutes(1),
                OutboxTimer.PURGE, Duration.ofMinutes(1),
                OutboxTimer.LEASES, Duration.ofSeconds(1),
                OutboxTimer.DEAD_LETTERS, Duration.ofSeconds(10));
        assertThat(timers.created).hasSize(2 * expected.size());
        expected.forEach((timer, period) -> assertThat(timers.created)
                .filteredOn(created -> ((Call) created.info()).timer() == timer)
                .as(timer.name())
                .extracting(Created::info, Created::period)
                .containsExactlyInAnyOrder(
                        tuple(new Call("default", timer), period.toMillis()),
                        tuple(new Call("billing", timer), period.toMillis())));
    }
}
