package dev.cdioutbox.internal.observe;

/** Receives notifications about idempotent consumers. */
public interface ConsumerListener {

    /** The application has a consumer of this name. */
    default void begins(String consumer) {}

    /** The consumer skipped a message that it had handled before. */
    default void skippedDuplicate(String consumer, ConsumedMessage message) {}

    /** The consumer skipped a message because it had handled a later one of the same key. */
    default void skippedStale(String consumer, ConsumedMessage message, String key, long sequence) {}
}
