package dev.cdioutbox.internal.dispatch;

/** A batch was rolled back. */
final class DeliveryException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int messages;

    DeliveryException(int messages, Throwable cause) {
        super(cause);
        this.messages = messages;
    }

    int messages() {
        return messages;
    }
}
