package dev.cdioutbox.sample;

/**
 * Represents any unexpected exception of business code after {@code fire()}. A system exception: the container rolls
 * the transaction back, and logs the exception.
 */
final class PretendedFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String orderId;

    PretendedFailure(String orderId) {
        super("Asked to fail after fire(), with order " + orderId);
        this.orderId = orderId;
    }

    String orderId() {
        return orderId;
    }
}
