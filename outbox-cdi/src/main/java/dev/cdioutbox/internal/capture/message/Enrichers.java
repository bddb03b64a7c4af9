package dev.cdioutbox.internal.capture.message;

import java.util.Comparator;
import java.util.List;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Instance;

import dev.cdioutbox.EventRefusedException;
import dev.cdioutbox.internal.capture.event.EventMetadata;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.spi.OutboxEnricher;

/** The application's enrichers, in the order of their priorities. */
public final class Enrichers implements MetadataSource {
    private final List<? extends Instance.Handle<OutboxEnricher>> enrichers;

    public Enrichers(Instance<OutboxEnricher> beans) {
        // Instances now: a broken one must fail the deployment, not each event.
        enrichers = beans.handlesStream()
                .peek(Instance.Handle::get)
                .sorted(Comparator.comparing(handle -> priority(handle.getBean().getBeanClass())))
                .toList();
    }

    private static int priority(Class<?> beanClass) {
        Priority priority = beanClass.getAnnotation(Priority.class);
        return priority == null ? Integer.MAX_VALUE : priority.value();
    }

    @Override
    public void describe(Object event, EventMetadata metadata) {
        for (Instance.Handle<OutboxEnricher> enricher : enrichers) {
            try {
                enricher.get().enrich(event, metadata);
            } catch (EventRefusedException e) {
                throw e;
            } catch (Exception | StackOverflowError | LinkageError e) {
                // The enricher may be a proxy, whose class name is meaningless.
                String name = enricher.getBean().getBeanClass().getName();
                throw OutboxCode.ENRICHER_FAILED.exception(e, event.getClass().getName(), name, FailureReason.of(e));
            }
        }
    }
}
