package dev.cdioutbox.sample;

/** There is no such order. */
final class UnknownOrder extends OrderRejected {
    private static final long serialVersionUID = 1L;

    UnknownOrder(String id) {
        super("There is no order " + id + ".");
    }
}
