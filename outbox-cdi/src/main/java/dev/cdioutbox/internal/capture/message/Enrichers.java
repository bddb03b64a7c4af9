package dev.cdioutbox.internal.capture.message;

import java.util.Comparator;
import java.util.List;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Instance;

import dev.cdioutbox.internal.capture.event.EventMetadata;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.spi.OutboxEnricher;

/** The application's enrichers, in the order of their priorities. */
public final class Enrichers implements MetadataSource {
    private final List<Named> enrichers;

    private Enrichers(List<Named> enrichers) {
        this.enrichers = enrichers;
    }

    public static Enrichers of(Instance<OutboxEnricher> beans) {
        return new Enrichers(beans.handlesStream()
                .sorted(Comparator.comparing(handle -> priority(handle.getBean().getBeanClass())))
                .map(handle -> new Named(handle.getBean().getBeanClass().getName(), handle.get()))
                .toList());
    }

    private static int priority(Class<?> beanClass) {
        Priority priority = beanClass.getAnnotation(Priority.class);
        return priority == null ? Integer.MAX_VALUE : priority.value();
    }

    @Override
    public void describe(Object event, EventMetadata metadata) {
        for (Named enricher : enrichers) {
            try {
                enricher.bean().enrich(event, metadata);
            } catch (Exception | StackOverflowError | LinkageError e) {
                throw Problem.ENRICHER_FAILED.exception(
                        e, event.getClass().getName(), enricher.name(), Problem.reason(e));
            }
        }
    }

    /** A bean may be a proxy, whose class name is meaningless. */
    private record Named(String name, OutboxEnricher bean) {}
}
