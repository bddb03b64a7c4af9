/**
 * Publishes to Kafka: each batch is one Kafka transaction. Enter at {@code KafkaPublisher}; {@code KafkaBatch} sends a batch,
 * {@code Producers} lends it a producer, {@code RecordMapping} creates the records, {@code MarkerTopic} has the markers,
 * {@code ClientSettings} configures Kafka's clients, and {@code KafkaFailure} decides whether the message or the destination is
 * to blame. The engine calls it through {@code OutboxPublisher}. Applications call nothing of it.
 */
package dev.cdioutbox.kafka;
