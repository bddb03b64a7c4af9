/**
 * Lets {@code IdempotentReceiver} record each received message, so that a duplicate has no effect. Enter at
 * {@code IdempotentConsumerInterceptor}. At deployment, {@code ConsumerExtension} finds the consumers and
 * {@code ConsumerCheck} refuses those that cannot be idempotent; {@code ReceivedMapping} reads the id and the key of a
 * message, {@code JmsReceivedEvents} its event. {@code JmsInbox} reads messages for {@code MessageInbox}, which stores them for a handler. {@code CausationInterceptor} and {@code CausationScope} make the message
 * the cause of the events that its consumer fires. Only the container calls this package.
 */
package dev.cdioutbox.jms.internal.consume;
