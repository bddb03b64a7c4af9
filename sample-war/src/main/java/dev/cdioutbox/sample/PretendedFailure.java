package dev.cdioutbox.sample;

/**
 * Stands for anything unexpected that business code may throw after {@code fire()}. To the container it is a system
 * exception like any other: it rolls the transaction back, and logs it.
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
