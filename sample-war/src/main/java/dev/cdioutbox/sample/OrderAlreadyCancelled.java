package dev.cdioutbox.sample;

/** The order cannot be cancelled a second time. */
final class OrderAlreadyCancelled extends OrderRejected {
    private static final long serialVersionUID = 1L;

    OrderAlreadyCancelled(String id) {
        super("Order " + id + " is cancelled already.");
    }
}
