/**
 * The receiving side: {@link dev.cdioutbox.jms.IdempotentConsumer} lets each message take effect once,
 * {@link dev.cdioutbox.jms.ReceivedEvents} reads its event, and {@link dev.cdioutbox.jms.Inbox} stores messages for a handler.
 */
@NullMarked
package dev.cdioutbox.jms;

import org.jspecify.annotations.NullMarked;
