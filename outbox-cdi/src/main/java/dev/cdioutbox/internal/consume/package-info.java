/**
 * The edge for consumers: what a transport that receives messages needs of the outbox, beside package {@code transport} of the
 * engine. Enter at {@code IdempotentReceiver}, which lets a message take effect once, whatever broker it came from, or
 * at {@code MessageInbox}, which stores a message for a handler; {@code PausedConsumers} stops deliveries while the database is away;
 * {@code TransactionCause} makes a message the cause of what its transaction stores at its end; {@code ConsumerRules} says which
 * consumers and ids the inbox can record, and {@code ReceivedJsonEvent} reads the event of a message.
 * {@code outbox-jms} calls all of them. Packages {@code observe} and {@code operate.console} listen at {@code ConsumerListener}.
 */
package dev.cdioutbox.internal.consume;
