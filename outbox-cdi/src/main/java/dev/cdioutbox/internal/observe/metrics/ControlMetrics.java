package dev.cdioutbox.internal.observe.metrics;

import java.util.List;
import java.util.function.Predicate;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.capture.Outboxes;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.dispatch.DispatchListener;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.Tag;
import org.eclipse.microprofile.metrics.annotation.RegistryScope;

/** What this node is told to do: whether it dispatches, and whether it really sends. Only there when the feature is. */
@ApplicationScoped
public class ControlMetrics implements DispatchListener {
    private static final List<String> GAUGES = List.of("outbox_dispatcher_enabled", "outbox_shadowing");

    @Inject
    @RegistryScope(scope = MetricRegistry.APPLICATION_SCOPE)
    MetricRegistry registry;

    @Inject
    Outboxes outboxes;

    /** There from the start, dispatcher or not. */
    void begin(@Observes @Initialized(ApplicationScoped.class) Object started) {}

    @PostConstruct
    void register() {
        // A registered gauge keeps what it was registered with: one of an application before us must go.
        GAUGES.forEach(registry::remove);
        registry.gauge(
                describe("outbox_dispatcher_enabled", "1 if this node dispatches, 0 if its messages accumulate"),
                outboxes,
                all -> isAny(all, DispatcherConfig::enabled));
        registry.gauge(
                describe("outbox_shadowing", "1 if this node sends elsewhere, to the shadow destination or nowhere"),
                outboxes,
                all -> isAny(all, dispatcher -> dispatcher.shadowDestination() != null));
        outboxes.labels().forEach(destination -> count(destination, 0));
    }

    private static int isAny(Outboxes outboxes, Predicate<DispatcherConfig> what) {
        return outboxes.all().stream()
                        .anyMatch(outbox -> what.test(outbox.config().current().dispatcher()))
                ? 1
                : 0;
    }

    @PreDestroy
    void remove() {
        GAUGES.forEach(registry::remove);
    }

    @Override
    public void shadowed(String destination, String shadow, List<OutboxMessage> messages) {
        count(destination, messages.size());
    }

    private void count(String destination, int by) {
        registry.counter(
                        describe(
                                "outbox_shadowed_total",
                                "messages settled by this node with a shadow mark, not sent to their destination"),
                        new Tag("destination", destination))
                .inc(by);
    }

    private static Metadata describe(String name, String description) {
        return Metadata.builder().withName(name).withDescription(description).build();
    }
}
