/**
 * Publishes a batch to JMS in the container's transaction. Enter at {@code JmsPublisher}; {@code MessageMapping}
 * creates the JMS message, {@code LocalTransaction} commits a session that no container manages, and {@code
 * SendFailureClassifier} decides whether the message or the destination is to blame for a failed send. The engine calls it through {@code OutboxPublisher}.
 */
package dev.cdioutbox.jms.internal.send;
