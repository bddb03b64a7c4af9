/**
 * The edge for the dead letters of consumers, which a broker has put aside. Package {@code operate} shows, sends back and discards
 * them through {@code DeadLetterQueues}, and a transport that can read such queues implements it, as {@code outbox-jms} does.
 */
package dev.cdioutbox.internal.deadletter;
