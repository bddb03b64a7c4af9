package dev.cdioutbox.internal.capture.message;

import java.util.concurrent.Callable;

/**
 * The message that the current thread handles: the cause of the events that this thread fires.
 *
 * @param id the message id, or null
 * @param traceparent the message's trace (W3C Trace Context), or null
 */
public record HandledMessage(String id, String correlationId, String tenantId, String traceparent, String tracestate) {

    private static final ThreadLocal<HandledMessage> CURRENT = new ThreadLocal<>();

    /** The message that this thread handles, or null. */
    static HandledMessage current() {
        return CURRENT.get();
    }

    /**
     * Whether this thread handles this message already: a listener may pass its message to another method of itself.
     */
    public boolean isHandled() {
        return equals(CURRENT.get());
    }

    /** Runs the work for this message on this thread. */
    public <T> T during(Callable<T> work) throws Exception {
        HandledMessage outer = CURRENT.get();
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
