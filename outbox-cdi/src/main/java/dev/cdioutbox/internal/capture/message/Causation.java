package dev.cdioutbox.internal.capture.message;

import dev.cdioutbox.internal.capture.event.EventMetadata;
import dev.cdioutbox.internal.capture.event.Texts;

/** Links an event to the message that the thread handles: causation id, correlation id, tenant and trace. */
public final class Causation implements MetadataSource {
    @Override
    public void describe(Object event, EventMetadata metadata) {
        HandledMessage handled = HandledMessage.current();
        if (handled != null) {
            metadata.causationId(fitting(handled.id()));
            String correlation = fitting(handled.correlationId());
            metadata.correlationId(EventMetadata.isCorrelationId(correlation) ? correlation : null);
            metadata.tenantId(fitting(handled.tenantId()));
            metadata.trace("traceparent", handled.traceparent());
            // A tracestate without a traceparent has no meaning.
            boolean traced = metadata.headers().containsKey("traceparent");
            metadata.trace("tracestate", traced ? handled.tracestate() : null);
        }
    }

    /** Drops an invalid id of a foreign message: it must not fail the consumer's work. */
    private static String fitting(String id) {
        return id != null && id.length() <= EventMetadata.MAX_ID && Texts.problem(id) == null ? id : null;
    }
}
