package dev.cdioutbox.internal.capture.message;

import java.util.concurrent.Callable;

import dev.cdioutbox.internal.capture.event.EventMetadata;
import dev.cdioutbox.internal.capture.event.MetadataRules;

/**
 * The message that the current thread handles: the cause of the events that this thread fires.
 *
 * @param id the message id, or null
 * @param traceparent the message's trace (W3C Trace Context), or null
 */
public record CausingMessage(String id, String correlationId, String tenantId, String traceparent, String tracestate) {

    private static final ThreadLocal<CausingMessage> CURRENT = new ThreadLocal<>();

    /**
     * Whether this thread handles this message already: a listener may pass its message to another method of itself.
     */
    public boolean isHandled() {
        return equals(CURRENT.get());
    }

    /**
     * Links an event to the message that this thread handles, if there is one: causation id, correlation id, tenant and
     * trace.
     */
    public static void describe(Object event, EventMetadata metadata) {
        CausingMessage cause = CURRENT.get();
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

    /** Runs the work for this message on this thread. */
    public <T> T during(Callable<T> work) throws Exception {
        CausingMessage outer = CURRENT.get();
        CURRENT.set(this);
        try {
            return work.call();
        } finally {
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }
}
