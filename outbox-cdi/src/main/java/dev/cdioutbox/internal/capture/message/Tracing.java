package dev.cdioutbox.internal.capture.message;

import dev.cdioutbox.internal.capture.event.EventMetadata;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;

/**
 * The trace that the caller of {@code fire()} is in (W3C Trace Context), as MicroProfile Telemetry has it. It is stored,
 * because no context crosses the table or the broker by itself. Loaded only where OpenTelemetry's API is.
 */
public final class Tracing implements MetadataSource {

    @Override
    public void describe(Object event, EventMetadata metadata) {
        SpanContext span = Span.current().getSpanContext();
        if (span.isValid()) {
            // A state belongs to its trace, and the propagator sets none where there is none.
            metadata.trace("tracestate", null);
            W3CTraceContextPropagator.getInstance()
                    .inject(Context.current(), metadata, (carrier, name, value) -> carrier.trace(name, value));
            if (metadata.correlationId() == null) {
                metadata.correlationId(span.getTraceId());
            }
        }
    }
}
