package dev.cdioutbox.internal.capture.message;

import dev.cdioutbox.internal.capture.event.EventMetadata;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;

/**
 * Adds the current trace of the caller of {@code fire()} (W3C Trace Context, from MicroProfile Telemetry). The outbox
 * stores the trace, because MicroProfile Telemetry does not carry a context through the table or the broker. Loaded
 * only if the application sees OpenTelemetry's API.
 */
public final class TraceHeaders implements MetadataSource {

    @Override
    public void describe(Object event, EventMetadata metadata) {
        SpanContext span = Span.current().getSpanContext();
        if (span.isValid()) {
            // Remove the state of another trace first: the propagator sets a state only if the current trace has one.
            metadata.trace("tracestate", null);
            W3CTraceContextPropagator.getInstance()
                    .inject(Context.current(), metadata, (carrier, name, value) -> carrier.trace(name, value));
            if (metadata.correlationId() == null) {
                metadata.correlationId(span.getTraceId());
            }
        }
    }
}
