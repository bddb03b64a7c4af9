package dev.cdioutbox.internal.observe.metrics;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.capture.CaptureListener;
import dev.cdioutbox.internal.capture.Outboxes;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.Retry;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.Tag;
import org.eclipse.microprofile.metrics.Timer;
import org.eclipse.microprofile.metrics.annotation.RegistryScope;

/**
 * Counts and times the work of this node in MicroProfile Metrics, application scope. Exists only if the server has the
 * feature.
 */
@ApplicationScoped
public class OutboxMetrics implements DispatchListener, CaptureListener {
    @Inject
    @RegistryScope(scope = MetricRegistry.APPLICATION_SCOPE)
    MetricRegistry registry;

    @Inject
    Outboxes outboxes;

    private final Map<String, Integer> consecutiveFailures = new ConcurrentHashMap<>();

    /** Creates this bean at the start, with or without a dispatcher, so that it counts the first event. */
    void begin(@Observes @Initialized(ApplicationScoped.class) Object started) {}

    @PostConstruct
    void register() {
        outboxes.all().forEach(outbox -> outbox.capture().addListener(this));
        outboxes.labels().forEach(this::begin);
        outboxes.eventTypes().forEach(type -> countCaptured(type, 0));
        countAbandoned(0);
        countRetries(0);
        countExpired(0);
    }

    /** Registers the counters at the start: a rate misses the first failure if the series begins with that failure. */
    private void begin(String destination) {
        countPublished(destination, 0);
        countFailures(destination, 0);
        countFailedRuns(destination, 0);
        countShadowed(destination, 0);
        commitIncomplete(destination, 0, 0);
        claims(destination);
        publishes(destination);
        latencies(destination);
    }

    @PreDestroy
    void remove() {
        outboxes.all().forEach(outbox -> outbox.capture().removeListener(this));
    }

    @Override
    public void captured(List<NewMessage> messages) {
        messages.forEach(message -> countCaptured(message.event().type(), 1));
    }

    @Override
    public void claimed(String destination, int partitions, Duration took) {
        claims(destination).update(took);
    }

    @Override
    public void published(String destination, List<OutboxMessage> messages, Instant at, Duration took) {
        countPublished(destination, messages.size());
        publishes(destination).update(took);
        Timer latencies = latencies(destination);
        messages.forEach(message -> latencies.update(Duration.between(message.createdAt(), at)));
    }

    @Override
    public void failed(String destination, int messages, Throwable cause) {
        countFailures(destination, messages);
    }

    /**
     * A failed claim or probe fails no batch. Without this counter, an unreachable database would not show in any
     * failure count.
     */
    @Override
    public void ended(String destination, int failures) {
        consecutiveFailures.compute(destination, (same, before) -> {
            countFailedRuns(destination, Math.max(0, failures - (before == null ? 0 : before)));
            return failures;
        });
    }

    @Override
    public void shadowed(String destination, String shadow, List<OutboxMessage> messages) {
        countShadowed(destination, messages.size());
    }

    @Override
    public void commitIncomplete(String destination, int settled, int inDoubt) {
        count(
                "outbox_incomplete_commits_total",
                "messages of this node in a commit that the transaction manager has to finish",
                (long) settled + inDoubt,
                new Tag("destination", destination));
    }

    @Override
    public void charged(String destination, OutboxMessage message, Retry retry, Instant at) {
        countFailures(destination, 1);
        if (retry.status() == OutboxStatus.ABANDONED) {
            countAbandoned(1);
        } else {
            countRetries(1);
        }
    }

    @Override
    public void unreadable(String destination, long sequence, String problem) {
        countFailures(destination, 1);
        countAbandoned(1);
    }

    @Override
    public void expired(String destination, OutboxMessage message) {
        countExpired(1);
    }

    private void countExpired(int by) {
        count("outbox_expired_total", "messages whose time to live was over before this node could send them", by);
    }

    private void countCaptured(String type, int by) {
        count("outbox_captured_total", "messages whose transaction committed on this node", by, new Tag("type", type));
    }

    private void countPublished(String destination, int by) {
        count("outbox_published_total", "messages sent and settled by this node", by, to(destination));
    }

    private void countFailures(String destination, int by) {
        count(
                "outbox_publish_failures_total",
                "messages rolled back, charged or unreadable on this node; one that fails twice counts twice",
                by,
                to(destination));
    }

    private void countFailedRuns(String destination, int by) {
        count(
                "outbox_failed_runs_total",
                "runs of this node that ended with a failure, of the database or the broker",
                by,
                to(destination));
    }

    private void countShadowed(String destination, int by) {
        count(
                "outbox_shadowed_total",
                "messages settled by this node with a shadow mark, not sent to their destination",
                by,
                to(destination));
    }

    private void countAbandoned(int by) {
        count("outbox_abandoned_total", "messages abandoned by this node", by);
    }

    private void countRetries(int by) {
        count("outbox_retries_total", "retries scheduled by this node", by);
    }

    private void count(String name, String description, long by, Tag... tags) {
        registry.counter(describe(name, description), tags).inc(by);
    }

    private Timer claims(String destination) {
        return timer("outbox_claim", "how long this node took to claim, messages or none", destination);
    }

    private Timer publishes(String destination) {
        return timer("outbox_publish", "how long this node took to send, settle and commit a batch", destination);
    }

    private Timer latencies(String destination) {
        return timer(
                "outbox_delivery_latency",
                "from when a message was stored until it was committed to the broker, by the database's clock",
                destination);
    }

    /** MicroProfile Metrics appends the unit, seconds, to the name. */
    private Timer timer(String name, String description, String destination) {
        return registry.timer(describe(name, description), to(destination));
    }

    private static Metadata describe(String name, String description) {
        return Metadata.builder().withName(name).withDescription(description).build();
    }

    private static Tag to(String destination) {
        return new Tag("destination", destination);
    }
}
