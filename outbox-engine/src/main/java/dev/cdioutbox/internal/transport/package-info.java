/**
 * The edge of the engine for transports: what {@code outbox-jms} and {@code outbox-kafka} need beside the public
 * {@code OutboxPublisher} of package {@code spi}.
 */
package dev.cdioutbox.internal.transport;
