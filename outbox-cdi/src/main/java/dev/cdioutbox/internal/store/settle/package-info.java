/**
 * Writes what became of a batch (published, expired, failed with a retry, abandoned), and sweeps messages whose
 * retention is over. Enter at {@code SettlementWriter} or {@code RetentionSweeper}; {@code RetryWriter} moves a
 * failed message to its blocked key.
 */
package dev.cdioutbox.internal.store.settle;
