package dev.cdioutbox.internal.observe;

import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.observe.OutboxMetric.Series;
import org.eclipse.microprofile.metrics.Counter;
import org.eclipse.microprofile.metrics.Gauge;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.Metric;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.Tag;
import org.eclipse.microprofile.metrics.Timer;
import org.eclipse.microprofile.metrics.annotation.RegistryScope;

/** MicroProfile Metrics, application scope. */
@Dependent
class MicroProfileMetrics implements MetricExporter {
    private final MetricRegistry registry;

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

    @Inject
    MicroProfileMetrics(@RegistryScope(scope = MetricRegistry.APPLICATION_SCOPE) MetricRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void count(Series series, long by) {
        counter(series).inc(by);
    }

    @Override
    public void time(Series series, Duration took) {
        timer(series).update(took);
    }

    @Override
    public void gauge(Series series, Supplier<? extends Number> value) {
        Metadata metadata = metadata(series);
        // A registered gauge keeps its first function. If an earlier deployment left this gauge, remove it and register
        // again.
        Gauge<? extends Number> there = registry.gauge(metadata, value, tags(series));
        registry.removeMatching((id, metric) -> metric == there);
        own.add(registry.gauge(metadata, value, tags(series)));
    }

    /** Another application of the server that stops removes the series that both have, if it has no name of its own. */
    @Override
    public void refresh() {
        counters.clear();
        timers.clear();
    }

    @Override
    public void close() {
        registry.removeMatching((id, metric) -> own.contains(metric));
    }

    private Counter counter(Series series) {
        return counters.computeIfAbsent(series, first -> registry.counter(metadata(series), tags(series)));
    }

    private Timer timer(Series series) {
        return timers.computeIfAbsent(series, first -> registry.timer(metadata(series), tags(series)));
    }

    private static Metadata metadata(Series series) {
        return Metadata.builder()
                .withName(series.metric().microProfileName())
                .withDescription(series.metric().description())
                .build();
    }

    private static Tag[] tags(Series series) {
        return series.value() == null
                ? new Tag[0]
                : new Tag[] {
                    new Tag(series.metric().label().tag(), series.value().toString())
                };
    }
}
