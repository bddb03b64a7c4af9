/**
 * Captures fired events in their transaction. Enter at {@link dev.cdioutbox.internal.capture.OutboxExtension} for the
 * deployment, at {@code Capture} for {@code fire()}, and at {@code TransactionBuffer} for the write before the commit.
 * The container calls the extension; the others read {@code Outboxes}.
 */
package dev.cdioutbox.internal.capture;
