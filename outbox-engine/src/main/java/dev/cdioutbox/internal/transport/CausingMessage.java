package dev.cdioutbox.internal.transport;

import java.util.concurrent.Callable;

import dev.cdioutbox.OutboxMessage;

/**
 * The message that the current thread handles: the cause of the events that this thread fires.
 *
 * @param id the message id, or null
 * @param traceparent the message's trace (W3C Trace Context), or null
 * @param generation how many messages are in its chain of causes, with this one; 0 if they are not counted
 */
public record CausingMessage(
        String id, String correlationId, String tenantId, String traceparent, String tracestate, int generation) {
    /** The header with the generation of a message that a handler has caused. */
    public static final String GENERATION = "generation";

    private static final ThreadLocal<CausingMessage> CURRENT = new ThreadLocal<>();

    /** A message whose chain of causes is not counted. */
    public CausingMessage(String id, String correlationId, String tenantId, String traceparent, String tracestate) {
        this(id, correlationId, tenantId, traceparent, tracestate, 0);
    }

    /** A message that the outbox itself hands to a handler. */
    public static CausingMessage of(OutboxMessage message) {
        OutboxMessage.Context context = message.context();
        return new CausingMessage(
                message.id().toString(),
                Envelope.correlationId(message),
                context.tenantId(),
                context.headers().get("traceparent"),
                context.headers().get("tracestate"),
                // A message that no handler has caused is the first generation.
                Math.max(1, generation(context.headers().get(GENERATION))));
    }

    /** The number in the header of a message; 0 without a header. */
    public static int generation(String header) {
        return header != null && header.matches("\\d{1,3}") ? Integer.parseInt(header) : 0;
    }

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
