/**
 * Records each received message in the transaction that handles it, so that a duplicate has no effect. Enter at
 * {@code IdempotentConsumerInterceptor}. At deployment, {@code ConsumerExtension} finds the consumers and
 * {@code ConsumerCheck} refuses those that cannot be idempotent; {@code ReceivedMessage} reads the properties of a
 * message, {@code JmsReceivedEvents} its payload. Only the container calls this package.
 */
package dev.cdioutbox.jms.internal.consume;
