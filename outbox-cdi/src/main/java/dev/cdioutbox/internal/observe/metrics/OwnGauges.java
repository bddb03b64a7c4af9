package dev.cdioutbox.internal.observe.metrics;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.Function;

import org.eclipse.microprofile.metrics.Gauge;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.Metric;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.Tag;

/**
 * The gauges of one application. All applications of a server share a registry, and a removal by name removes the
 * gauges of all. So this class remembers its own gauges and removes only those. Not thread-safe.
 */
final class OwnGauges {
    private final MetricRegistry registry;
    private final Set<Metric> own = Collections.newSetFromMap(new IdentityHashMap<>());

    OwnGauges(MetricRegistry registry) {
        this.registry = registry;
    }

    <T, N extends Number> void add(String name, String description, T of, Function<T, N> value, Tag... tags) {
        Metadata metadata =
                Metadata.builder().withName(name).withDescription(description).build();
        // A registered gauge keeps its first function. If an earlier deployment left this gauge, remove it and register
        // again.
        Gauge<N> there = registry.gauge(metadata, of, value, tags);
        registry.removeMatching((id, metric) -> metric == there);
        own.add(registry.gauge(metadata, of, value, tags));
    }

    void remove() {
        registry.removeMatching((id, metric) -> own.contains(metric));
        own.clear();
    }
}
