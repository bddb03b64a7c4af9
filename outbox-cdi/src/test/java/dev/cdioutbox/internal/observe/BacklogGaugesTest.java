package dev.cdioutbox.internal.observe;

import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.BacklogReader.Backlog;
import dev.cdioutbox.operate.OutboxBacklog;
import org.eclipse.microprofile.metrics.Counter;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.junit.jupiter.api.Test;

/** Guards that no gauge shows 0 for a backlog that is not known. */
class BacklogGaugesTest {
    private static final OutboxBacklog BACKLOG =
            new Backlog(1, 2, 3, null, Set.of(), Instant.parse("2026-11-21T10:00:00Z"), Map.of());

    private static final Counter COUNTER = (Counter) Proxy.newProxyInstance(
            BacklogGaugesTest.class.getClassLoader(),
            new Class<?>[] {Counter.class},
            (proxy, method, arguments) -> null);

    private final List<String> registered = new ArrayList<>();
    private final Map<String, Supplier<?>> values = new HashMap<>();
    private final AtomicLong now = new AtomicLong();
    private final Gauges gauges = new Gauges(now::get);
    private final OutboxMetrics metrics = new OutboxMetrics();

    BacklogGaugesTest() {
        MetricRegistry registry = (MetricRegistry) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {MetricRegistry.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("gauge")) {
                        String name = ((Metadata) arguments[0]).getName();
                        registered.add(name);
                        values.put(name, (Supplier<?>) arguments[1]);
                    }
                    return method.getName().equals("counter") ? COUNTER : null;
                });
        metrics.exporters = List.of(new MicroProfileMetrics(registry));
        metrics.gauges = gauges;
        metrics.outboxes = new Outboxes(
                List.of(new OutboxInstance("default", new CurrentConfig(TestConfig.of()), (JdbcOutboxStore) null)));
        gauges.expectTicks("default");
        gauges.expectTicks("billing");
        metrics.register();
    }

    @Test
    void backlogHasGaugesOnceItIsKnown() {
        read("default");
        assertThat(registered)
                .as("of the destinations of the outbox that was read")
                .contains("outbox_store_age_seconds", "outbox_destination_oldest_age_seconds")
                .doesNotContain("outbox_messages");

        read("billing");
        assertThat(registered).contains("outbox_messages");

        registered.clear();
        read("default");
        assertThat(registered).isEmpty();
    }

    /** The alerts would see a dispatcher that works. */
    @Test
    void agesOfAnApplicationWithoutADispatcherAreNoNumbers() {
        metrics.gauges = new Gauges(now::get);
        metrics.register();

        assertThat((Double) values.get("outbox_last_tick_age_seconds").get()).isNaN();
        assertThat((Double) values.get("outbox_store_age_seconds").get()).isNaN();
    }

    /** A thread that hangs neither fails nor logs, and the other threads of its destination may go on. */
    @Test
    void hangingThreadIsShown() {
        gauges.began(ofDefaultOutbox("default"));
        now.addAndGet(Duration.ofMinutes(20).toNanos());

        assertThat(values.get("outbox_silent_seconds").get()).isEqualTo(1200L);
    }

    @Test
    void applicationThatEndsRegistersNoMore() {
        metrics.remove();

        read("default");
        read("billing");

        assertThat(registered).doesNotContain("outbox_messages");
    }

    private void read(String outbox) {
        gauges.backlog(outbox, BACKLOG);
        metrics.backlog(outbox, BACKLOG);
    }
}
