/**
 * The edge to JMS, a package for each side: {@code send} publishes a batch, {@code consume} records received messages.
 * Enter at {@code JmsExtension}, which connects message-driven beans at deployment. Only the container calls this
 * package.
 */
package dev.cdioutbox.jms.internal;
