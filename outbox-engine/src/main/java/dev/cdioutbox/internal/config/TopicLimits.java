package dev.cdioutbox.internal.config;

/**
 * What a Kafka topic and a client take.
 *
 * @param largest the largest record, in bytes
 * @param compacted whether the topic refuses a record without a key
 */
public record TopicLimits(long largest, boolean compacted) {
    /** The limit of Kafka's producers, and so of a connector. */
    public static final long DEFAULT = 1_048_576;
}
