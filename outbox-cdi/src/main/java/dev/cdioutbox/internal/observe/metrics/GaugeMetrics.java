package dev.cdioutbox.internal.observe.metrics;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
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
import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.capture.Outboxes;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.observe.Gauges;
import org.eclipse.microprofile.metrics.Gauge;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.Metric;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.Tag;
import org.eclipse.microprofile.metrics.annotation.RegistryScope;

/** The gauges of the outbox and of this node. Exists only if the server has the feature. */
@ApplicationScoped
public class GaugeMetrics implements DispatchListener {
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

    /** Creates this bean at the start, with or without a dispatcher. */
    void begin(@Observes @Initialized(ApplicationScoped.class) Object started) {}

    @PostConstruct
    void register() {
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
        outboxes.labels().forEach(this::workOn);
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

    private void workOn(String destination) {
        Tag tag = new Tag("destination", destination);
        add(
                "outbox_destination_partitions_held",
                "its partitions that this node has claimed at this moment",
                () -> gauges.partitionsHeld(destination),
                tag);
        add(
                "outbox_silent_seconds",
                "for how long a thread of this node has waited for the broker or the database",
                () -> gauges.silence(destination).toSeconds(),
                tag);
        add(
                "outbox_in_doubt_messages",
                "its messages in doubt, as this node found them",
                () -> gauges.inDoubt(destination),
                tag);
        add(
                "outbox_in_doubt_age_seconds",
                "for how long this node has known the first of them",
                () -> gauges.inDoubtSeconds(destination),
                tag);
    }

    /** Separate gauges for each destination: a working destination must not hide a failing one. */
    private void backlogOfDestinations(OpenOutbox outbox) {
        for (String destination : outbox.config().current().destinations().keySet()) {
            Tag label = new Tag("destination", outbox.label(destination));
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
        Metadata metadata =
                Metadata.builder().withName(name).withDescription(description).build();
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
}
