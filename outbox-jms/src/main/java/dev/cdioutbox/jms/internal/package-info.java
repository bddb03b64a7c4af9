/**
 * The edge to EJB and JMS, a package for each side: {@code dispatch} runs the workers, {@code send} publishes a
 * batch, {@code consume} records received messages, {@code notify} fires CDI events for the application. Enter
 * at {@code JmsExtension}, which connects message-driven beans at deployment. Only the container calls this
 * package.
 */
package dev.cdioutbox.jms.internal;
