package dev.cdioutbox.internal.observe.metrics;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;

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
import dev.cdioutbox.internal.dispatch.DispatchListener;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.observe.Observers;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.Retry;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.Tag;
import org.eclipse.microprofile.metrics.Timer;
import org.eclipse.microprofile.metrics.annotation.RegistryScope;

/** The outbox in MicroProfile Metrics, application scope. Only there when the feature is. */
@ApplicationScoped
public class OutboxMetrics implements DispatchListener, CaptureListener {
    private static final List<String> GAUGES = List.of(
            "outbox_messages",
            "outbox_oldest_pending_age_seconds",
            "outbox_last_tick_age_seconds",
            "outbox_partitions_held",
            "outbox_paused");

    @Inject
    @RegistryScope(scope = MetricRegistry.APPLICATION_SCOPE)
    MetricRegistry registry;

    @Inject
    Observers observers;

    @Inject
    Outboxes outboxes;

    /** Counts from the first event on, dispatcher or not. */
    void begin(@Observes @Initialized(ApplicationScoped.class) Object started) {}

    @PostConstruct
    void register() {
        outboxes.all().forEach(outbox -> outbox.capture().addListener(this));
        // A registered gauge keeps what it was registered with: one of an application before us must go.
        GAUGES.forEach(registry::remove);
        Gauges gauges = observers.gauges();
        gauge("outbox_messages", "messages that are not settled", gauges, Gauges::pending, state("pending"));
        gauge("outbox_messages", "messages that are not settled", gauges, Gauges::failed, state("failed"));
        gauge("outbox_messages", "messages that are not settled", gauges, Gauges::abandoned, state("abandoned"));
        gauge(
                "outbox_oldest_pending_age_seconds",
                "age of the oldest message that still has to be sent",
                gauges,
                Gauges::oldestPendingAgeSeconds);
        gauge(
                "outbox_last_tick_age_seconds",
                "time since the dispatcher's timer last called on this node",
                gauges,
                Gauges::lastTickAgeSeconds);
        gauge(
                "outbox_partitions_held",
                "partitions that this node has claimed at this moment",
                gauges,
                Gauges::partitionsHeld);
        gauge(
                "outbox_paused",
                "destinations that an operator paused; all of them count as one",
                gauges,
                Gauges::paused);
        outboxes.labels().forEach(this::begin);
        countAbandoned(0);
        countRetries(0);
        countExpired(0);
    }

    /** Counters are there from the start: a rate over a series that only begins with the first failure misses it. */
    private void begin(String destination) {
        countPublished(destination, 0);
        countFailures(destination, 0);
        unclear(destination, 0, 0);
        claims(destination);
        publishes(destination);
        latencies(destination);
    }

    @PreDestroy
    void remove() {
        outboxes.all().forEach(outbox -> outbox.capture().removeListener(this));
        GAUGES.forEach(registry::remove);
    }

    @Override
    public void captured(List<NewMessage> messages) {
        messages.forEach(message -> count(
                "outbox_captured_total",
                "messages whose transaction committed on this node",
                1,
                new Tag("type", message.event().type())));
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
        countFailures(destination, 1);
    }

    @Override
    public void unclear(String destination, int settled, int inDoubt) {
        count(
                "outbox_unclear_total",
                "messages of this node whose commit did not end well, and was left to the transaction manager",
                (long) settled + inDoubt,
                new Tag("destination", destination));
    }

    @Override
    public void charged(OutboxMessage message, Retry retry, Instant at) {
        countFailures(message.delivery().destination(), 1);
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
    public void expired(OutboxMessage message) {
        countExpired(1);
    }

    private void countExpired(int by) {
        count("outbox_expired_total", "messages whose time to live was over before this node could send them", by);
    }

    private void countPublished(String destination, int by) {
        count("outbox_published_total", "messages sent and settled by this node", by, to(destination));
    }

    private void countFailures(String destination, int by) {
        count(
                "outbox_publish_failures_total",
                "batches rolled back and messages charged on this node",
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

    /** Its unit, seconds, becomes the end of its name. */
    private Timer timer(String name, String description, String destination) {
        return registry.timer(describe(name, description), to(destination));
    }

    private <N extends Number> void gauge(
            String name, String description, Gauges gauges, Function<Gauges, N> value, Tag... tags) {
        registry.gauge(describe(name, description), gauges, value, tags);
    }

    private static Metadata describe(String name, String description) {
        return Metadata.builder().withName(name).withDescription(description).build();
    }

    private static Tag to(String destination) {
        return new Tag("destination", destination);
    }

    private static Tag state(String state) {
        return new Tag("state", state);
    }
}
