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
 * The gauges of one application. A registry is its server's: what is removed by a name is that of every application on it, so
 * they are distinguished from those of others by their type. Not thread-safe.
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
        // A registered gauge keeps what it was registered with: just this one, if an application before us left it,
        // must go.
        Gauge<N> there = registry.gauge(metadata, of, value, tags);
        registry.removeMatching((id, metric) -> metric == there);
        own.add(registry.gauge(metadata, of, value, tags));
    }

    void remove() {
        registry.removeMatching((id, metric) -> own.contains(metric));
        own.clear();
    }
}
