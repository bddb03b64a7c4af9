package dev.cdioutbox.internal.dispatch.delivery;

/** Reports that a batch was rolled back, or that the worker must not send. */
public final class DeliveryException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String refusal;

    public DeliveryException(Throwable cause) {
        this(null, cause);
    }

    /** @param refusal the reason why exactly-once is not possible, or null */
    public DeliveryException(String refusal, Throwable cause) {
        super(cause);
        this.refusal = refusal;
    }

    /** The reason why exactly-once is not possible, or null. */
    public String refusal() {
        return refusal;
    }
}
