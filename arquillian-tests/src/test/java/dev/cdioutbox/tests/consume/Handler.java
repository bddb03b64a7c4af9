package dev.cdioutbox.tests.consume;

/** Of which a caller does not know that it takes messages. */
public interface Handler<T> {
    boolean handle(T what);

    /** It concerns no message. */
    default boolean isReady() {
        return false;
    }
}
