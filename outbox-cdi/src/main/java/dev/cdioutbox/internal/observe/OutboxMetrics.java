package dev.cdioutbox.internal.observe;

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
import java.util.stream.Collectors;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.capture.CaptureListener;
import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.capture.Outboxes;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.Retry;
import dev.cdioutbox.operate.OutboxBacklog;
import org.eclipse.microprofile.metrics.Counter;
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

    /**
     * The counters and timers of this application. A call of the registry compares the tags of all metrics of the server,
     * so it must not be a part of each transaction.
     */
    private final Map<Series, Counter> counters = new ConcurrentHashMap<>();

    private final Map<Series, Timer> timers = new ConcurrentHashMap<>();

    private record Series(Name name, List<Tag> tags) {}

    /** Whether the gauges of the backlog are registered, or all gauges are removed. */
    private boolean isComplete;

    private final Map<String, Integer> consecutiveFailures = new ConcurrentHashMap<>();

    /** Creates this bean at the start, with or without a dispatcher, so that it counts the first event. */
    void begin(@Observes @Initialized(ApplicationScoped.class) Object started) {}

    @PostConstruct
    void register() {
        outboxes.all().forEach(outbox -> outbox.capture().addListener(this));
        outboxes.labels().forEach(this::registerDestination);
        outboxes.eventTypes().forEach(type -> count(Name.CAPTURED, 0, new Tag("type", type)));
        count(Name.RETRIES, 0);
        count(Name.ABANDONED, 0);
        count(Name.EXPIRED, 0);
        add(Name.STORE_AGE, gauges::lastReadingAgeSeconds);
        add(Name.LAST_TICK_AGE, gauges::lastTickAgeSeconds);
        add(Name.PARTITIONS_HELD, gauges::partitionsHeld);
        control(Name.DISPATCHER_ENABLED, DispatcherConfig::enabled);
        control(Name.SHADOWING, dispatcher -> dispatcher.shadowDestination() != null);
    }

    /** Registers the counters at the start: a rate misses the first failure if the series begins with that failure. */
    private void registerDestination(String destination) {
        Tag label = to(destination);
        count(Name.PUBLISHED, 0, label);
        count(Name.FAILURES, 0, label);
        count(Name.FAILED_RUNS, 0, label);
        count(Name.INCOMPLETE_COMMITS, 0, label);
        count(Name.SHADOWED, 0, label);
        timer(Name.CLAIM, destination);
        timer(Name.PUBLISH, destination);
        timer(Name.DELIVERY_LATENCY, destination);
        add(
                Name.DESTINATION_PARTITIONS_HELD,
                () -> gauges.destination(destination).partitionsHeld(),
                label);
        add(Name.SILENT, () -> gauges.destination(destination).silence().toSeconds(), label);
        add(Name.IN_DOUBT, () -> gauges.destination(destination).inDoubt(), label);
        add(Name.IN_DOUBT_AGE, () -> gauges.destination(destination).inDoubtSeconds(), label);
    }

    /**
     * Registers the gauges of the backlog when it is known: before that, a value of 0 would be a guess. An application
     * that only captures has none.
     */
    @Override
    public synchronized void backlog(String outbox, OutboxBacklog backlog) {
        // Another application of the server that stops removes the series that both have, if it has no name of its own.
        counters.clear();
        timers.clear();
        if (isComplete || !gauges.isBacklogKnown()) {
            return;
        }
        isComplete = true;
        messages("pending", gauges::pending, gauges::isWaitingCapped);
        messages("failed", gauges::failed, gauges::isWaitingCapped);
        messages("abandoned", gauges::abandoned, gauges::isAbandonedCapped);
        add(Name.OLDEST_PENDING_AGE, gauges::oldestPendingAgeSeconds);
        add(Name.PAUSED, gauges::paused);
        outboxes.all().forEach(this::backlogOfDestinations);
    }

    /** Separate gauges for each destination: a working destination must not hide a failing one. */
    private void backlogOfDestinations(OpenOutbox outbox) {
        for (String destination : outbox.config().current().destinations().keySet()) {
            Tag label = to(outbox.label(destination));
            add(Name.DESTINATION_OLDEST_AGE, () -> gauges.oldestPendingAgeSeconds(outbox.name(), destination), label);
            add(Name.DESTINATION_PAUSED, () -> gauges.isPaused(outbox.name(), destination) ? 1 : 0, label);
        }
    }

    @PreDestroy
    synchronized void remove() {
        isComplete = true;
        registry.removeMatching((id, metric) -> own.contains(metric));
    }

    @Override
    public void captured(List<NewMessage> messages) {
        messages.stream()
                .collect(Collectors.groupingBy(message -> message.event().type(), Collectors.counting()))
                .forEach((type, some) -> count(Name.CAPTURED, some, new Tag("type", type)));
    }

    @Override
    public void claimed(String destination, int partitions, Duration took) {
        timer(Name.CLAIM, destination).update(took);
    }

    @Override
    public void published(String destination, List<OutboxMessage> messages, Instant at, Duration took) {
        count(Name.PUBLISHED, messages.size(), to(destination));
        timer(Name.PUBLISH, destination).update(took);
        Timer latencies = timer(Name.DELIVERY_LATENCY, destination);
        messages.forEach(message -> latencies.update(Duration.between(message.createdAt(), at)));
    }

    @Override
    public void failed(String destination, int messages, Throwable cause) {
        count(Name.FAILURES, messages, to(destination));
    }

    /**
     * A failed claim or probe fails no batch. Without this counter, an unreachable database would not show in any
     * failure count.
     */
    @Override
    public void ended(String destination, int failures) {
        consecutiveFailures.compute(destination, (same, before) -> {
            count(Name.FAILED_RUNS, Math.max(0, failures - (before == null ? 0 : before)), to(destination));
            return failures;
        });
    }

    @Override
    public void shadowed(String destination, String shadow, List<OutboxMessage> messages) {
        count(Name.SHADOWED, messages.size(), to(destination));
    }

    @Override
    public void commitIncomplete(String destination, int settled, int inDoubt) {
        count(Name.INCOMPLETE_COMMITS, (long) settled + inDoubt, to(destination));
    }

    @Override
    public void charged(String destination, OutboxMessage message, Retry retry, Instant at) {
        count(Name.FAILURES, 1, to(destination));
        count(retry.status() == OutboxStatus.ABANDONED ? Name.ABANDONED : Name.RETRIES, 1);
    }

    @Override
    public void unreadable(String destination, long sequence, String problem) {
        count(Name.FAILURES, 1, to(destination));
        count(Name.ABANDONED, 1);
    }

    @Override
    public void expired(String destination, OutboxMessage message) {
        count(Name.EXPIRED, 1);
    }

    /** Registers the counters of a consumer at the start. */
    @Override
    public void begins(String consumer) {
        count(Name.DUPLICATES_SKIPPED, 0, new Tag("consumer", consumer));
        count(Name.STALE_SKIPPED, 0, new Tag("consumer", consumer));
    }

    @Override
    public void skippedDuplicate(String consumer, ConsumedMessage message) {
        count(Name.DUPLICATES_SKIPPED, 1, new Tag("consumer", consumer));
    }

    @Override
    public void skippedStale(String consumer, ConsumedMessage message, String key, long sequence) {
        count(Name.STALE_SKIPPED, 1, new Tag("consumer", consumer));
    }

    private void messages(String state, Supplier<Integer> count, BooleanSupplier capped) {
        Tag tag = new Tag("state", state);
        add(Name.MESSAGES, count, tag);
        add(Name.MESSAGES_CAPPED, () -> capped.getAsBoolean() ? 1 : 0, tag);
    }

    private <N extends Number> void add(Name name, Supplier<N> value, Tag... tags) {
        Metadata metadata = name.metadata();
        // A registered gauge keeps its first function. If an earlier deployment left this gauge, remove it and register
        // again.
        Gauge<N> there = registry.gauge(metadata, value, tags);
        registry.removeMatching((id, metric) -> metric == there);
        own.add(registry.gauge(metadata, value, tags));
    }

    private void control(Name name, Predicate<DispatcherConfig> what) {
        Predicate<OpenOutbox> ofOutbox = outbox ->
                outbox.config().current().dispatch().values().stream().anyMatch(own -> what.test(own.dispatcher()));
        add(name, () -> outboxes.all().stream().anyMatch(ofOutbox) ? 1 : 0);
    }

    private void count(Name name, long by, Tag... tags) {
        counters.computeIfAbsent(new Series(name, List.of(tags)), first -> registry.counter(name.metadata(), tags))
                .inc(by);
    }

    private Timer timer(Name name, String destination) {
        Tag tag = to(destination);
        return timers.computeIfAbsent(new Series(name, List.of(tag)), first -> registry.timer(name.metadata(), tag));
    }

    private static Tag to(String destination) {
        return new Tag("destination", destination);
    }

    /** The metrics, with their descriptions. */
    enum Name {
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
        STALE_SKIPPED("outbox_stale_skipped_total", "received messages that a later one of their key overtook"),

        // MicroProfile Metrics appends the unit, seconds, to the name of a timer.
        CLAIM("outbox_claim", "how long this node took to claim, messages or none"),
        PUBLISH("outbox_publish", "how long this node took to send, settle and commit a batch"),
        DELIVERY_LATENCY(
                "outbox_delivery_latency",
                "from when a message was stored until it was sent and settled, by the database's clock"),

        STORE_AGE("outbox_store_age_seconds", "time since this node's dispatcher last read the tables"),
        LAST_TICK_AGE("outbox_last_tick_age_seconds", "time since the dispatcher's timer last called on this node"),
        PARTITIONS_HELD("outbox_partitions_held", "partitions that this node has claimed at this moment"),
        DISPATCHER_ENABLED("outbox_dispatcher_enabled", "1 if this node dispatches, 0 if its messages accumulate"),
        SHADOWING("outbox_shadowing", "1 if this node sends elsewhere, to the shadow destination or nowhere"),
        DESTINATION_PARTITIONS_HELD(
                "outbox_destination_partitions_held", "its partitions that this node has claimed at this moment"),
        SILENT("outbox_silent_seconds", "for how long a thread of this node has waited for the broker or the database"),
        IN_DOUBT("outbox_in_doubt_messages", "its messages in doubt, as this node found them"),
        IN_DOUBT_AGE("outbox_in_doubt_age_seconds", "for how long this node has known the first of them"),
        MESSAGES("outbox_messages", "messages that are not settled"),
        MESSAGES_CAPPED(
                "outbox_messages_capped",
                "1 if counting ended at the limit, so that outbox_messages is the least number"),
        OLDEST_PENDING_AGE("outbox_oldest_pending_age_seconds", "age of the oldest message that still has to be sent"),
        PAUSED("outbox_paused", "destinations that an operator paused; all of them count as one"),
        DESTINATION_OLDEST_AGE(
                "outbox_destination_oldest_age_seconds", "age of the oldest message that still has to be sent there"),
        DESTINATION_PAUSED("outbox_destination_paused", "1 if an operator paused it, or all");

        private final Metadata metadata;

        Name(String metric, String description) {
            metadata = Metadata.builder()
                    .withName(metric)
                    .withDescription(description)
                    .build();
        }

        Metadata metadata() {
            return metadata;
        }
    }
}
