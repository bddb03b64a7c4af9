/**
 * The receiving side: {@link dev.cdioutbox.jms.IdempotentConsumer} lets each message take effect once, and
 * {@link dev.cdioutbox.jms.ReceivedEvents} reads its event.
 */
package dev.cdioutbox.jms;
