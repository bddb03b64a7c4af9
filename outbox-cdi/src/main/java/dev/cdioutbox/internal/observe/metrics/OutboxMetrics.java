package dev.cdioutbox.internal.observe.metrics;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.capture.CaptureListener;
import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.capture.Outboxes;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.observe.ConsumedMessage;
import dev.cdioutbox.internal.observe.ConsumerListener;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.Retry;
import org.eclipse.microprofile.metrics.Gauge;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.Metric;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.Tag;
import org.eclipse.microprofile.metrics.Timer;
import org.eclipse.microprofile.metrics.annotation.RegistryScope;

/**
 * Counts and times the work of this node in MicroProfile Metrics, application scope, and shows the last readings as
 * gauges. Exists only if the server has the feature.
 */
@ApplicationScoped
public class OutboxMetrics implements DispatchListener, CaptureListener, ConsumerListener {
    @Inject
    @RegistryScope(scope = MetricRegistry.APPLICATION_SCOPE)
    MetricRegistry registry;

    @Inject
    Gauges gauges;

    @Inject
    Outboxes outboxes;

    /**
     * The gauges of this application. All applications of a server share a registry, and a removal by name removes the
     * gauges of all.
     */
    private final Set<Metric> own = Collections.newSetFromMap(new IdentityHashMap<>());

    /** Whether the gauges of the backlog are registered, or all gauges are removed. */
    private boolean isComplete;

    private final Map<String, Integer> consecutiveFailures = new ConcurrentHashMap<>();

    /** Creates this bean at the start, with or without a dispatcher, so that it counts the first event. */
    void begin(@Observes @Initialized(ApplicationScoped.class) Object started) {}

    @PostConstruct
    void register() {
        outboxes.all().forEach(outbox -> outbox.capture().addListener(this));
        outboxes.labels().forEach(this::registerDestination);
        outboxes.eventTypes().forEach(type -> count(Counted.CAPTURED, 0, new Tag("type", type)));
        count(Counted.RETRIES, 0);
        count(Counted.ABANDONED, 0);
        count(Counted.EXPIRED, 0);
        add(
                "outbox_store_age_seconds",
                "time since this node's dispatcher last read the tables",
                gauges::lastReadingAgeSeconds);
        add(
                "outbox_last_tick_age_seconds",
                "time since the dispatcher's timer last called on this node",
                gauges::lastTickAgeSeconds);
        add("outbox_partitions_held", "partitions that this node has claimed at this moment", gauges::partitionsHeld);
        control(
                "outbox_dispatcher_enabled",
                "1 if this node dispatches, 0 if its messages accumulate",
                DispatcherConfig::enabled);
        control(
                "outbox_shadowing",
                "1 if this node sends elsewhere, to the shadow destination or nowhere",
                dispatcher -> dispatcher.shadowDestination() != null);
    }

    /** Registers the counters at the start: a rate misses the first failure if the series begins with that failure. */
    private void registerDestination(String destination) {
        count(Counted.PUBLISHED, 0, to(destination));
        count(Counted.FAILURES, 0, to(destination));
        count(Counted.FAILED_RUNS, 0, to(destination));
        count(Counted.INCOMPLETE_COMMITS, 0, to(destination));
        count(Counted.SHADOWED, 0, to(destination));
        claims(destination);
        publishes(destination);
        latencies(destination);
        add(
                "outbox_destination_partitions_held",
                "its partitions that this node has claimed at this moment",
                () -> gauges.partitionsHeld(destination),
                to(destination));
        add(
                "outbox_silent_seconds",
                "for how long a thread of this node has waited for the broker or the database",
                () -> gauges.silence(destination).toSeconds(),
                to(destination));
        add(
                "outbox_in_doubt_messages",
                "its messages in doubt, as this node found them",
                () -> gauges.inDoubt(destination),
                to(destination));
        add(
                "outbox_in_doubt_age_seconds",
                "for how long this node has known the first of them",
                () -> gauges.inDoubtSeconds(destination),
                to(destination));
    }

    /**
     * Registers the gauges of the backlog when it is known: before that, a value of 0 would be a guess. An application
     * that only captures has none.
     */
    @Override
    public synchronized void backlog(String outbox, OutboxBacklog backlog) {
        if (isComplete || !gauges.isBacklogKnown()) {
            return;
        }
        isComplete = true;
        messages("pending", gauges::pending, gauges::isWaitingCapped);
        messages("failed", gauges::failed, gauges::isWaitingCapped);
        messages("abandoned", gauges::abandoned, gauges::isAbandonedCapped);
        add(
                "outbox_oldest_pending_age_seconds",
                "age of the oldest message that still has to be sent",
                gauges::oldestPendingAgeSeconds);
        add("outbox_paused", "destinations that an operator paused; all of them count as one", gauges::paused);
        outboxes.all().forEach(this::backlogOfDestinations);
    }

    /** Separate gauges for each destination: a working destination must not hide a failing one. */
    private void backlogOfDestinations(OpenOutbox outbox) {
        for (String destination : outbox.config().current().destinations().keySet()) {
            Tag label = to(outbox.label(destination));
            add(
                    "outbox_destination_oldest_age_seconds",
                    "age of the oldest message that still has to be sent there",
                    () -> gauges.oldestPendingAgeSeconds(outbox.name(), destination),
                    label);
            add(
                    "outbox_destination_paused",
                    "1 if an operator paused it, or all",
                    () -> gauges.isPaused(outbox.name(), destination) ? 1 : 0,
                    label);
        }
    }

    @PreDestroy
    synchronized void remove() {
        isComplete = true;
        registry.removeMatching((id, metric) -> own.contains(metric));
    }

    @Override
    public void captured(List<NewMessage> messages) {
        messages.forEach(message ->
                count(Counted.CAPTURED, 1, new Tag("type", message.event().type())));
    }

    @Override
    public void claimed(String destination, int partitions, Duration took) {
        claims(destination).update(took);
    }

    @Override
    public void published(String destination, List<OutboxMessage> messages, Instant at, Duration took) {
        count(Counted.PUBLISHED, messages.size(), to(destination));
        publishes(destination).update(took);
        Timer latencies = latencies(destination);
        messages.forEach(message -> latencies.update(Duration.between(message.createdAt(), at)));
    }

    @Override
    public void failed(String destination, int messages, Throwable cause) {
        count(Counted.FAILURES, messages, to(destination));
    }

    /**
     * A failed claim or probe fails no batch. Without this counter, an unreachable database would not show in any
     * failure count.
     */
    @Override
    public void ended(String destination, int failures) {
        consecutiveFailures.compute(destination, (same, before) -> {
            count(Counted.FAILED_RUNS, Math.max(0, failures - (before == null ? 0 : before)), to(destination));
            return failures;
        });
    }

    @Override
    public void shadowed(String destination, String shadow, List<OutboxMessage> messages) {
        count(Counted.SHADOWED, messages.size(), to(destination));
    }

    @Override
    public void commitIncomplete(String destination, int settled, int inDoubt) {
        count(Counted.INCOMPLETE_COMMITS, (long) settled + inDoubt, to(destination));
    }

    @Override
    public void charged(String destination, OutboxMessage message, Retry retry, Instant at) {
        count(Counted.FAILURES, 1, to(destination));
        count(retry.status() == OutboxStatus.ABANDONED ? Counted.ABANDONED : Counted.RETRIES, 1);
    }

    @Override
    public void unreadable(String destination, long sequence, String problem) {
        count(Counted.FAILURES, 1, to(destination));
        count(Counted.ABANDONED, 1);
    }

    @Override
    public void expired(String destination, OutboxMessage message) {
        count(Counted.EXPIRED, 1);
    }

    /** Registers the counters of a consumer at the start. */
    @Override
    public void begins(String consumer) {
        count(Counted.DUPLICATES_SKIPPED, 0, new Tag("consumer", consumer));
        count(Counted.STALE_SKIPPED, 0, new Tag("consumer", consumer));
    }

    @Override
    public void skippedDuplicate(String consumer, ConsumedMessage message) {
        count(Counted.DUPLICATES_SKIPPED, 1, new Tag("consumer", consumer));
    }

    @Override
    public void skippedStale(String consumer, ConsumedMessage message, String key, long sequence) {
        count(Counted.STALE_SKIPPED, 1, new Tag("consumer", consumer));
    }

    private void messages(String state, Supplier<Integer> count, BooleanSupplier capped) {
        Tag tag = new Tag("state", state);
        add("outbox_messages", "messages that are not settled", count, tag);
        add(
                "outbox_messages_capped",
                "1 if counting ended at the limit, so that outbox_messages is the least number",
                () -> capped.getAsBoolean() ? 1 : 0,
                tag);
    }

    private <N extends Number> void add(String name, String description, Supplier<N> value, Tag... tags) {
        Metadata metadata = describe(name, description);
        // A registered gauge keeps its first function. If an earlier deployment left this gauge, remove it and register
        // again.
        Gauge<N> there = registry.gauge(metadata, value, tags);
        registry.removeMatching((id, metric) -> metric == there);
        own.add(registry.gauge(metadata, value, tags));
    }

    private void control(String name, String description, Predicate<DispatcherConfig> what) {
        add(
                name,
                description,
                () -> outboxes.all().stream()
                                .anyMatch(outbox ->
                                        what.test(outbox.config().current().dispatcher()))
                        ? 1
                        : 0);
    }

    private void count(Counted what, long by, Tag... tags) {
        registry.counter(describe(what.metric, what.description), tags).inc(by);
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

    /** The counters. */
    private enum Counted {
        CAPTURED("outbox_captured_total", "messages whose transaction committed on this node"),
        PUBLISHED("outbox_published_total", "messages sent and settled by this node"),
        FAILURES(
                "outbox_publish_failures_total",
                "messages rolled back, charged or unreadable on this node; one that fails twice counts twice"),
        FAILED_RUNS(
                "outbox_failed_runs_total",
                "runs of this node that ended with a failure, of the database or the broker"),
        INCOMPLETE_COMMITS(
                "outbox_incomplete_commits_total",
                "messages of this node in a commit that the transaction manager has to finish"),
        SHADOWED(
                "outbox_shadowed_total",
                "messages settled by this node with a shadow mark, not sent to their destination"),
        RETRIES("outbox_retries_total", "retries scheduled by this node"),
        ABANDONED("outbox_abandoned_total", "messages abandoned by this node"),
        EXPIRED("outbox_expired_total", "messages whose time to live was over before this node could send them"),
        DUPLICATES_SKIPPED("outbox_duplicates_skipped_total", "received messages that were handled before"),
        STALE_SKIPPED("outbox_stale_skipped_total", "received messages that a later one of their key overtook");

        private final String metric;
        private final String description;

        Counted(String metric, String description) {
            this.metric = metric;
            this.description = description;
        }
    }
}
