package dev.cdioutbox.internal.transport;

/**
 * What a Kafka topic and a client take.
 *
 * @param largest the largest record, in bytes
 * @param compacted whether the topic refuses a record without a key
 */
public record TopicLimits(long largest, boolean compacted) {
    /** The limit of Kafka's producers, and so of a connector. */
    public static final long DEFAULT = 1_048_576;

    /** Whether a topic may have this name, as Kafka's brokers check it. */
    public static boolean isName(String name) {
        return name.matches("(?!\\.{1,2}$)[a-zA-Z0-9._-]{1,249}");
    }
}
