package dev.cdioutbox.internal.dispatch.worker;

/** Reports that a batch was rolled back. */
public final class DeliveryException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int messages;

    public DeliveryException(int messages, Throwable cause) {
        super(cause);
        this.messages = messages;
    }

    int messages() {
        return messages;
    }
}
