package dev.cdioutbox.internal.observe.metrics;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.observe.ConsumedMessage;
import dev.cdioutbox.internal.observe.ConsumerListener;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.Tag;
import org.eclipse.microprofile.metrics.annotation.RegistryScope;

/**
 * Counts for idempotent consumers in MicroProfile Metrics, application scope. Exists only if the server has the
 * feature.
 */
@ApplicationScoped
public class ConsumerMetrics implements ConsumerListener {
    @Inject
    @RegistryScope(scope = MetricRegistry.APPLICATION_SCOPE)
    MetricRegistry registry;

    /** Registers the counters at the start. */
    @Override
    public void begins(String consumer) {
        countDuplicates(consumer, 0);
        countStale(consumer, 0);
    }

    @Override
    public void skippedDuplicate(String consumer, ConsumedMessage message) {
        countDuplicates(consumer, 1);
    }

    @Override
    public void skippedStale(String consumer, ConsumedMessage message, String key, long sequence) {
        countStale(consumer, 1);
    }

    private void countDuplicates(String consumer, int by) {
        count("outbox_duplicates_skipped_total", "received messages that were handled before", consumer, by);
    }

    private void countStale(String consumer, int by) {
        count("outbox_stale_skipped_total", "received messages that a later one of their key overtook", consumer, by);
    }

    private void count(String name, String description, String consumer, int by) {
        Metadata metadata =
                Metadata.builder().withName(name).withDescription(description).build();
        registry.counter(metadata, new Tag("consumer", consumer)).inc(by);
    }
}
