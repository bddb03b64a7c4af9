/**
 * Takes fired events into their transaction: the CDI extension, the checks at deployment, and the write before the
 * commit. Enter at {@link dev.cdioutbox.internal.capture.OutboxExtension} for the deployment, at {@code Capture} for
 * {@code fire()}, at {@code TransactionBuffer} for the write. The container calls the extension; the others read
 * {@code Outboxes}.
 */
package dev.cdioutbox.internal.capture;
