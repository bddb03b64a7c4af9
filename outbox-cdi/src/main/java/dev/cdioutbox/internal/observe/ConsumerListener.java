package dev.cdioutbox.internal.observe;

/** Looks on at idempotent consumers, after the fact. */
public interface ConsumerListener {

    /** There is a consumer of this name. */
    default void begins(String consumer) {}

    /** A message was handled before. */
    default void skippedDuplicate(String consumer, ConsumedMessage message) {}

    /** A later message of the same key was handled before. */
    default void skippedStale(String consumer, ConsumedMessage message, String key, long sequence) {}
}
