/**
 * Writes what became of a batch, and purges messages whose retention is over. Enter at {@code SettlementWriter} for what was sent, at
 * {@code UnsentWriter} for what has expired or failed, or at {@code MessagePurge}; {@code RetryWriter} moves a failed message to
 * its blocked key, and {@code PendingRows} tells which messages are settled or in doubt.
 */
package dev.cdioutbox.internal.store.settle;
