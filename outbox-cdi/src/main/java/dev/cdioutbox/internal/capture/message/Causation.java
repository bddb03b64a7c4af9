package dev.cdioutbox.internal.capture.message;

import dev.cdioutbox.internal.capture.event.EventMetadata;
import dev.cdioutbox.internal.capture.event.MetadataRules;
import dev.cdioutbox.internal.transport.CausingMessage;

/** Links an event to the message that its thread handles, if there is one: causation id, correlation id, tenant and trace. */
public final class Causation implements MetadataSource {

    @Override
    public void describe(Object event, EventMetadata metadata) {
        CausingMessage cause = CausingMessage.current();
        if (cause != null) {
            metadata.causationId(MetadataRules.idOrNull(cause.id()));
            metadata.correlationId(MetadataRules.correlationIdOrNull(cause.correlationId()));
            metadata.tenantId(MetadataRules.idOrNull(cause.tenantId()));
            metadata.trace("traceparent", cause.traceparent());
            // A tracestate without a traceparent has no meaning.
            boolean traced = metadata.headers().containsKey("traceparent");
            metadata.trace("tracestate", traced ? cause.tracestate() : null);
        }
    }
}
