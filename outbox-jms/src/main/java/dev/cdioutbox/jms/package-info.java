/**
 * The receiving side: {@link dev.cdioutbox.jms.IdempotentConsumer} lets each message take effect once, and
 * {@link dev.cdioutbox.jms.ReceivedEvents} reads its event.
 */
@NullMarked
package dev.cdioutbox.jms;

import org.jspecify.annotations.NullMarked;
