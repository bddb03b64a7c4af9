package dev.cdioutbox.internal.dispatch.worker;

/** Reports that a batch was rolled back, or that the worker must not send. */
public final class DeliveryException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int messages;
    private final String refusal;

    /** @param messages the size of the batch; 0 without a batch */
    public DeliveryException(int messages, Throwable cause) {
        super(cause);
        this.messages = messages;
        this.refusal = null;
    }

    /** @param refusal the reason why exactly-once is not possible */
    public DeliveryException(String refusal, Throwable cause) {
        super(cause);
        this.messages = 0;
        this.refusal = refusal;
    }

    int messages() {
        return messages;
    }

    /** The reason why exactly-once is not possible, or null. */
    String refusal() {
        return refusal;
    }
}
