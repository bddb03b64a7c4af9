package dev.cdioutbox.internal.capture.message;

import java.util.concurrent.Callable;

/**
 * The message that the current thread handles. What is captured meanwhile was caused by it.
 *
 * @param id its message id, or null
 * @param traceparent the trace it belongs to (W3C Trace Context), or null
 */
public record HandledMessage(String id, String correlationId, String tenantId, String traceparent, String tracestate) {

    private static final ThreadLocal<HandledMessage> CURRENT = new ThreadLocal<>();

    /** The message that this thread handles, or null. */
    static HandledMessage current() {
        return CURRENT.get();
    }

    /** Whether this thread is at work for it already: a listener hands its message on to a part of itself. */
    public boolean isHandled() {
        return equals(CURRENT.get());
    }

    /** Does the work that the message asks for, on this thread. */
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
