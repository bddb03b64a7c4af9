/**
 * Writes the outcome of a batch: published, expired, to be retried, abandoned. Enter at {@code SettlementWriter};
 * {@code RetryScheduler} moves a failed message to its blocked key. Only {@code store.jdbc} calls it.
 */
package dev.cdioutbox.internal.store.settle;
