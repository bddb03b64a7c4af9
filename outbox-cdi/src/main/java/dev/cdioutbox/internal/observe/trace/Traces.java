package dev.cdioutbox.internal.observe.trace;

import java.util.concurrent.Callable;

import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.observe.trace.Spans.Arrived;
import dev.cdioutbox.internal.observe.trace.Spans.SendSpan;

/**
 * The spans of MicroProfile Telemetry, if it is enabled and the application sees OpenTelemetry's API; otherwise none.
 */
@ApplicationScoped
public class Traces {
    @Inject
    Instance<Object> beans;

    private Spans spans = Spans.NONE;

    @PostConstruct
    void look() {
        try {
            spans = OpenTelemetrySpans.of(beans);
        } catch (LinkageError absent) {
            spans = Spans.NONE;
        }
    }

    /** Begins the span of a send. */
    public SendSpan sending(OutboxMessage message, String target) {
        return spans.sending(message, target);
    }

    /** Runs the work for a message in a span that continues the sender's trace. */
    public <T> T processing(Arrived arrived, Callable<T> work) throws Exception {
        return spans.processing(arrived, work);
    }
}
