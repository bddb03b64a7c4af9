package dev.cdioutbox.internal.capture.message;

import dev.cdioutbox.internal.capture.event.CorrelationIds;
import dev.cdioutbox.internal.capture.event.EventMetadata;
import dev.cdioutbox.internal.capture.event.Texts;

/** What is fired while a message is handled was caused by it, and belongs to the same conversation, tenant and trace. */
public final class Causation implements MetadataSource {
    private static final int MAX_ID = 255;

    @Override
    public void describe(Object event, EventMetadata metadata) {
        HandledMessage handled = HandledMessage.current();
        if (handled != null) {
            metadata.causationId(fitting(handled.id()));
            String correlation = fitting(handled.correlationId());
            metadata.correlationId(CorrelationIds.isSendable(correlation) ? correlation : null);
            metadata.tenantId(fitting(handled.tenantId()));
            metadata.trace("traceparent", handled.traceparent());
            // A state without its trace says nothing.
            boolean traced = metadata.headers().containsKey("traceparent");
            metadata.trace("tracestate", traced ? handled.tracestate() : null);
        }
    }

    /** An id of a stranger's that cannot be stored is no reason to fail the work that its message asks for. */
    private static String fitting(String id) {
        return id != null && id.length() <= MAX_ID && Texts.problem(id) == null ? id : null;
    }
}
