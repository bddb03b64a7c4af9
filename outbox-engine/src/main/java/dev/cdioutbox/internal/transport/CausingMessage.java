package dev.cdioutbox.internal.transport;

import java.util.concurrent.Callable;

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

    /** The message that this thread handles, or null. */
    public static CausingMessage current() {
        return CURRENT.get();
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
