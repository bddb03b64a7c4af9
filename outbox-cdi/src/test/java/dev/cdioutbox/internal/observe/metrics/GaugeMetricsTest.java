package dev.cdioutbox.internal.observe.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.capture.Outboxes;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.observe.Observers;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.junit.jupiter.api.Test;

/** Guards that no gauge shows 0 for a backlog that is not known. */
class GaugeMetricsTest {
    private static final OutboxBacklog BACKLOG =
            new OutboxBacklog(1, 2, 3, null, Set.of(), Instant.parse("2026-11-21T10:00:00Z"), Map.of());

    private final List<String> registered = new ArrayList<>();
    private final Gauges gauges = new Gauges();
    private final GaugeMetrics metrics = new GaugeMetrics();

    GaugeMetricsTest() {
        metrics.registry = (MetricRegistry) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {MetricRegistry.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("gauge")) {
                        registered.add(((Metadata) arguments[0]).getName());
                    }
                    return null;
                });
        metrics.observers = new Observers(gauges);
        metrics.outboxes =
                new Outboxes(List.of(new OpenOutbox("default", new CurrentConfig(TestConfig.of()), null, null)));
        gauges.expectTicks("default");
        gauges.expectTicks("billing");
        metrics.register();
    }

    @Test
    void backlogHasGaugesOnceItIsKnown() {
        read("default");
        assertThat(registered).contains("outbox_store_age_seconds").doesNotContain("outbox_messages");

        read("billing");
        assertThat(registered).contains("outbox_messages", "outbox_destination_oldest_age_seconds");

        registered.clear();
        read("default");
        assertThat(registered).isEmpty();
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
