package dev.cdioutbox.internal.observe;

import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.observe.OutboxMetric.Label;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.spi.DestinationId;
import org.eclipse.microprofile.metrics.Counter;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.junit.jupiter.api.Test;

/** Guards the unit of the failure counters, and that counting is cheap. */
class OutboxMetricsTest {
    private static final DestinationId DEFAULT = ofDefaultOutbox("default");

    private final Map<String, Long> counts = new ConcurrentHashMap<>();
    private final AtomicInteger lookups = new AtomicInteger();
    private final OutboxMetrics metrics = new OutboxMetrics();

    OutboxMetricsTest() {
        MetricRegistry registry = (MetricRegistry) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {MetricRegistry.class}, (proxy, method, arguments) -> {
                    lookups.incrementAndGet();
                    return counter(((Metadata) arguments[0]).getName());
                });
        metrics.exporters = List.of(new MicroProfileMetrics(registry));
    }

    /** A lookup compares the tags of all metrics of the server: ten events took 50 µs of each transaction. */
    @Test
    void countingDoesNotSearchTheRegistryEachTime() {
        for (int i = 0; i < 10; i++) {
            metrics.failed(DEFAULT, 1, new IllegalStateException("the broker is away"));
            metrics.failed(ofDefaultOutbox("audit"), 1, new IllegalStateException("the broker is away"));
        }

        assertThat(counts).containsEntry("outbox_publish_failures_total", 20L);
        assertThat(lookups).as("one for each destination").hasValue(2);
    }

    /** Liberty removes a series when another application that has it too stops. A removed counter is not shown. */
    @Test
    void readingOfTheBacklogLooksTheCountersUpAgain() {
        metrics.gauges = new Gauges();
        metrics.outboxes = new Outboxes(List.of());
        metrics.failed(DEFAULT, 1, new IllegalStateException("the broker is away"));

        metrics.backlog("default", null);
        metrics.failed(DEFAULT, 1, new IllegalStateException("the broker is away"));

        assertThat(lookups).hasValue(2);
    }

    /** Liberty keeps 440 KB for a timer, whether or not it has ever measured anything. */
    @Test
    void idleDestinationHasItsCountersAndNoTimer() {
        metrics.beginCounters(Label.DESTINATION, DEFAULT);
        metrics.claimed(DEFAULT, 0, Duration.ofMillis(1));

        assertThat(counts).containsEntry("outbox_published_total", 0L).containsEntry("outbox_failed_runs_total", 0L);
        assertThat(lookups).as("of counters only").hasValue(counts.size());
    }

    /** A failed batch of a thousand messages must not look like one of a single message. */
    @Test
    void failuresAreMessages() {
        OutboxMessage message = TestMessages.stored(17, "key", 1);

        metrics.failed(DEFAULT, 500, new IllegalStateException("the broker is away"));
        metrics.failed(DEFAULT, 0, new IllegalStateException("the probe failed"));
        metrics.charged(DEFAULT, message, retry(OutboxStatus.FAILED), Instant.EPOCH, new Exception());
        metrics.charged(DEFAULT, message, retry(OutboxStatus.ABANDONED), Instant.EPOCH, new Exception());
        metrics.unreadable(DEFAULT, 18, "no JSON");
        metrics.setAside(DEFAULT, TestMessages.message("key", "late"), 19, "it is late");

        assertThat(counts).containsEntry("outbox_publish_failures_total", 503L);
        assertThat(counts).containsEntry("outbox_retries_total", 1L);
        assertThat(counts).containsEntry("outbox_abandoned_total", 3L);
    }

    /** A request may have named the type. */
    @Test
    void seriesOfTypesAreBounded() {
        for (int i = 0; i < OutboxMetrics.MOST_TYPES + 10; i++) {
            metrics.captured(List.of(TestMessages.message("type " + i, "key", "text", "default")));
        }

        assertThat(lookups).as("one for each kept type, and one for all others").hasValue(OutboxMetrics.MOST_TYPES + 1);
        assertThat(counts).containsEntry("outbox_captured_total", OutboxMetrics.MOST_TYPES + 10L);
    }

    private static Retry retry(OutboxStatus status) {
        return new Retry(17, status, 1, Duration.ofSeconds(1), "refused", true);
    }

    private Counter counter(String name) {
        return (Counter) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Counter.class}, (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("inc");
                    counts.merge(name, arguments == null ? 1L : (long) arguments[0], Long::sum);
                    return null;
                });
    }
}
