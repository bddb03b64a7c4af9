/**
 * Reads, sends back and discards the messages that consumers could not handle. Enter at {@code JmsDeadLetterQueues};
 * {@code LetterMapping} knows what brokers say of such a message. The operations call it through {@code DeadLetterQueues}.
 */
package dev.cdioutbox.jms.internal.deadletter;
