package dev.cdioutbox.internal.observe;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.consume.ConsumedMessage;
import dev.cdioutbox.internal.consume.ConsumerListener;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.dispatch.listener.SlotReading;
import dev.cdioutbox.internal.observe.OutboxMetric.Kind;
import dev.cdioutbox.internal.observe.OutboxMetric.Label;
import dev.cdioutbox.internal.observe.OutboxMetric.Series;
import dev.cdioutbox.internal.outbox.CaptureListener;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.operate.OutboxBacklog;
import dev.cdioutbox.spi.DestinationId;

/**
 * Counts and times the work of this node, and shows the last readings as gauges, for each feature of the server that
 * collects metrics.
 */
@ApplicationScoped
public class OutboxMetrics implements DispatchListener, CaptureListener, ConsumerListener {
    static final int MOST_TYPES = 1000;

    private final Set<String> types = ConcurrentHashMap.newKeySet();

    @Inject
    Gauges gauges;

    @Inject
    Outboxes outboxes;

    /** Empty without such a feature. */
    List<MetricExporter> exporters;

    /** The outboxes whose destinations have their gauges of the backlog. */
    private final Set<String> read = new HashSet<>();

    /** Whether the gauges of the whole backlog are registered. */
    private boolean isComplete;

    private boolean isRemoved;

    /** Whether the gauges of the slot are registered. */
    private boolean hasSlot;

    /** Creates this bean at the start, with or without a dispatcher, so that it counts the first event. */
    void begin(@Observes @Initialized(ApplicationScoped.class) Object started) {}

    @Inject
    void exporters(Instance<MetricExporter> found) {
        exporters = found.stream().toList();
    }

    @PostConstruct
    void register() {
        outboxes.all().forEach(outbox -> outbox.captured().add(this));
        outboxes.destinations().forEach(this::registerDestination);
        outboxes.eventTypes().forEach(type -> begin(OutboxMetric.CAPTURED, type));
        begin(OutboxMetric.RETRIES, null);
        begin(OutboxMetric.ABANDONED, null);
        begin(OutboxMetric.EXPIRED, null);
        outboxes.all().stream()
                .flatMap(outbox -> outbox.config().current().console().deadLetters().values().stream())
                .distinct()
                .forEach(queue -> add(
                        OutboxMetric.DEAD_LETTERS,
                        () -> gauges.deadLetters(queue).value(),
                        queue.label()));
        add(OutboxMetric.STORE_AGE, gauges::lastReadingAgeSeconds);
        add(OutboxMetric.LAST_TICK_AGE, gauges::lastTickAgeSeconds);
        add(OutboxMetric.PARTITIONS_HELD, gauges::partitionsHeld);
        control(OutboxMetric.DISPATCHER_ENABLED, DispatcherConfig::enabled);
        control(OutboxMetric.SHADOWING, dispatcher -> dispatcher.shadowDestination() != null);
    }

    private void registerDestination(DestinationId id) {
        beginCounters(Label.DESTINATION, id);
        add(
                OutboxMetric.DESTINATION_PARTITIONS_HELD,
                () -> gauges.destination(id).partitionsHeld(),
                id);
        add(OutboxMetric.SILENT, () -> gauges.destination(id).silence().toSeconds(), id);
        add(OutboxMetric.RATE_LIMITED, () -> gauges.destination(id).isHeldBack() ? 1 : 0, id);
        add(OutboxMetric.IN_DOUBT, () -> gauges.destination(id).inDoubt(), id);
        add(OutboxMetric.IN_DOUBT_AGE, () -> gauges.destination(id).inDoubtSeconds(), id);
        add(
                OutboxMetric.IN_DOUBT_KEYS,
                () -> gauges.destination(id).keysInDoubt().keys(),
                id);
        add(
                OutboxMetric.IN_DOUBT_FOLLOWERS,
                () -> gauges.destination(id).keysInDoubt().followers(),
                id);
    }

    /** Only where there is a slot: zeros would look healthy. */
    @Override
    public synchronized void slotRead(String outbox, List<DestinationId> destinations, SlotReading slot) {
        if (hasSlot || isRemoved) {
            return;
        }
        hasSlot = true;
        add(OutboxMetric.CDC_LAG_BYTES, () -> gauges.slots(SlotReading::lagBytes));
        add(OutboxMetric.CDC_LAG, () -> gauges.slots(read -> read.lag().toSeconds()));
        add(OutboxMetric.CDC_READ, () -> 1 - gauges.slots(read -> read.finding() == null ? 0 : 1));
    }

    /**
     * Registers the gauges of the backlog when it is known: before that, a value of 0 would be a guess. Those of an outbox's
     * destinations do not wait for the other outboxes. An application that only captures has none.
     */
    @Override
    public synchronized void backlog(String outbox, OutboxBacklog backlog) {
        exporters.forEach(MetricExporter::refresh);
        if (isRemoved) {
            return;
        }
        if (read.add(outbox)) {
            outboxes.destinations().stream()
                    .filter(id -> id.outbox().equals(outbox))
                    .forEach(this::backlogOf);
        }
        if (isComplete || !gauges.isBacklogKnown()) {
            return;
        }
        isComplete = true;
        add(OutboxMetric.MESSAGES, gauges::pending, "pending");
        add(OutboxMetric.MESSAGES, gauges::failed, "failed");
        add(OutboxMetric.MESSAGES, gauges::abandoned, "abandoned");
        add(OutboxMetric.OLDEST_PENDING_AGE, gauges::oldestPendingAgeSeconds);
        add(OutboxMetric.PAUSED, gauges::paused);
    }

    /** Separate gauges for each destination: a working destination must not hide a failing one. */
    private void backlogOf(DestinationId id) {
        add(OutboxMetric.DESTINATION_OLDEST_AGE, () -> gauges.oldestPendingAgeSeconds(id), id);
        add(OutboxMetric.BLOCKED_KEYS, () -> gauges.blockedKeys(id).keys(), id);
        add(OutboxMetric.BLOCKED_FOLLOWERS, () -> gauges.blockedKeys(id).followers(), id);
        add(OutboxMetric.BLOCKED_AGE, () -> gauges.blockedKeys(id).longest().toSeconds(), id);
        add(OutboxMetric.DESTINATION_FAILING, () -> gauges.failing(id) == null ? 0 : 1, id);
        add(OutboxMetric.DESTINATION_PAUSED, () -> gauges.isPaused(id) ? 1 : 0, id);
    }

    @PreDestroy
    synchronized void remove() {
        isRemoved = true;
        exporters.forEach(MetricExporter::close);
    }

    @Override
    public void captured(List<NewMessage> messages) {
        messages.stream()
                .collect(Collectors.groupingBy(message -> message.event().type(), Collectors.counting()))
                .forEach((type, some) -> count(OutboxMetric.CAPTURED, some, label(type)));
    }

    /** A request may have named the type, and the server keeps each series. */
    private String label(String type) {
        if (types.size() < MOST_TYPES) {
            types.add(type);
        }
        return types.contains(type) ? type : "other";
    }

    @Override
    public void claimed(DestinationId destination, int partitions, Duration took) {
        // Each worker claims once at the start, which would give every idle destination a timer.
        if (partitions > 0) {
            time(OutboxMetric.CLAIM, took, destination);
        }
    }

    @Override
    public void published(DestinationId destination, List<OutboxMessage> messages, Instant at, Duration took) {
        count(OutboxMetric.PUBLISHED, messages.size(), destination);
        time(OutboxMetric.PUBLISH, took, destination);
        messages.forEach(
                message -> time(OutboxMetric.DELIVERY_LATENCY, Duration.between(message.createdAt(), at), destination));
    }

    @Override
    public void failed(DestinationId destination, int messages, Throwable cause) {
        count(OutboxMetric.FAILURES, messages, destination);
    }

    /**
     * A failed claim or probe fails no batch. Without this counter, an unreachable database would not show in any
     * failure count.
     */
    @Override
    public void runFailed(DestinationId destination, int failures, Throwable cause) {
        count(OutboxMetric.FAILED_RUNS, 1, destination);
    }

    @Override
    public void shadowed(DestinationId destination, String shadow, List<OutboxMessage> messages) {
        count(OutboxMetric.SHADOWED, messages.size(), destination);
    }

    @Override
    public void commitIncomplete(DestinationId destination, int settled, int inDoubt) {
        count(OutboxMetric.INCOMPLETE_COMMITS, (long) settled + inDoubt, destination);
    }

    @Override
    public void charged(DestinationId destination, OutboxMessage message, Retry retry, Instant at, Throwable cause) {
        count(OutboxMetric.FAILURES, 1, destination);
        count(retry.status() == OutboxStatus.ABANDONED ? OutboxMetric.ABANDONED : OutboxMetric.RETRIES, 1);
    }

    @Override
    public void unreadable(DestinationId destination, long sequence, String problem) {
        count(OutboxMetric.FAILURES, 1, destination);
        count(OutboxMetric.ABANDONED, 1);
    }

    @Override
    public void setAside(DestinationId destination, NewMessage message, long sequence, String reason) {
        count(OutboxMetric.ABANDONED, 1);
    }

    @Override
    public void expired(DestinationId destination, OutboxMessage message) {
        count(OutboxMetric.EXPIRED, 1);
    }

    @Override
    public void deadLettered(DestinationId destination, List<NewMessage> copies) {
        count(OutboxMetric.DEAD_LETTERED, copies.size(), destination);
    }

    @Override
    public void begins(String consumer) {
        beginCounters(Label.CONSUMER, consumer);
    }

    @Override
    public void redelivered(String consumer, ConsumedMessage message) {
        count(OutboxMetric.CONSUMER_REDELIVERIES, 1, consumer);
    }

    @Override
    public void failed(String consumer, ConsumedMessage message, Throwable cause) {
        count(OutboxMetric.CONSUMER_FAILURES, 1, consumer);
    }

    @Override
    public void skippedDuplicate(String consumer, ConsumedMessage message) {
        count(OutboxMetric.DUPLICATES_SKIPPED, 1, consumer);
    }

    @Override
    public void skippedStale(String consumer, ConsumedMessage message, String key, long sequence) {
        count(OutboxMetric.STALE_SKIPPED, 1, consumer);
    }

    private void control(OutboxMetric metric, Predicate<DispatcherConfig> what) {
        Predicate<OutboxInstance> ofOutbox = outbox ->
                outbox.config().current().dispatch().values().stream().anyMatch(own -> what.test(own.dispatcher()));
        add(metric, () -> outboxes.all().stream().anyMatch(ofOutbox) ? 1 : 0);
    }

    /** A timer begins with its first measurement instead, because Liberty keeps 440 KB of histograms for each. */
    void beginCounters(Label label, Object value) {
        Stream.of(OutboxMetric.values())
                .filter(metric -> metric.label() == label && metric.kind() == Kind.COUNTER)
                .forEach(metric -> begin(metric, value));
    }

    /** Shows a counter from the start: a rate misses the first failure if the series begins with that failure. */
    private void begin(OutboxMetric metric, Object value) {
        count(metric, 0, value);
    }

    private void add(OutboxMetric metric, Supplier<? extends Number> reading) {
        add(metric, reading, null);
    }

    private void add(OutboxMetric metric, Supplier<? extends Number> reading, Object value) {
        exporters.forEach(exporter -> exporter.gauge(new Series(metric, value), reading));
    }

    private void count(OutboxMetric metric, long by) {
        count(metric, by, null);
    }

    private void count(OutboxMetric metric, long by, Object value) {
        exporters.forEach(exporter -> exporter.count(new Series(metric, value), by));
    }

    private void time(OutboxMetric metric, Duration took, Object value) {
        exporters.forEach(exporter -> exporter.time(new Series(metric, value), took));
    }
}
