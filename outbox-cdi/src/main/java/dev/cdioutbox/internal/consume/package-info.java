/**
 * The edge for consumers: what a transport that receives messages needs of the outbox, beside package {@code transport} of the
 * engine. Enter at {@code IdempotentReceiver}, which lets a message take effect once, whatever broker it came from;
 * {@code ConsumerRules} says which consumers and ids the inbox can record. {@code outbox-jms} calls both. Packages {@code observe}
 * and {@code operate.console} listen at {@code ConsumerListener}.
 */
package dev.cdioutbox.internal.consume;
