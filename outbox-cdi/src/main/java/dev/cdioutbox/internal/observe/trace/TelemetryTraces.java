package dev.cdioutbox.internal.observe.trace;

import java.util.concurrent.Callable;

import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.transport.CausingMessage;
import dev.cdioutbox.internal.transport.Traces;
import dev.cdioutbox.spi.DestinationId;

/**
 * Creates spans with MicroProfile Telemetry. Without it, or if the application does not see OpenTelemetry's API, there are no
 * spans, and the message keeps its trace headers.
 */
@ApplicationScoped
public class TelemetryTraces implements Traces {
    @Inject
    Instance<Object> beans;

    /** Null without OpenTelemetry. */
    private OpenTelemetrySpans spans;

    @PostConstruct
    void look() {
        try {
            spans = OpenTelemetrySpans.of(beans);
        } catch (LinkageError absent) {
            spans = null;
        }
    }

    @Override
    public SendSpan sending(OutboxMessage message, DestinationId destination, String transport, String target) {
        return spans == null ? SendSpan.NONE : spans.sending(message, destination, transport, target);
    }

    @Override
    public <T> T processing(CausingMessage received, String transport, String target, Callable<T> work)
            throws Exception {
        return spans == null ? work.call() : spans.processing(received, transport, target, work);
    }
}
