/**
 * Writes what became of a batch: moves, removes, expires and retries its messages. Enter at {@code SettlementWriter} for what was
 * sent and at {@code UnsentWriter} for what was not; {@code PendingRows} tells which messages are settled or in doubt.
 */
package dev.cdioutbox.internal.store.settle;
