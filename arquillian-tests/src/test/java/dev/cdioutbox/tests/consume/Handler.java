package dev.cdioutbox.tests.consume;

/** An interface whose signature does not show that it takes a message. */
public interface Handler<T> {
    boolean handle(T what);

    /** Takes no message. */
    default boolean isReady() {
        return false;
    }
}
