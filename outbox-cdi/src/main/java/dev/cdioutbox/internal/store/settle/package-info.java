/**
 * Writes the outcome of a batch: published, expired, failed with a retry, abandoned. Enter at {@code SettlementWriter};
 * {@code RetryScheduler} moves a failed message to its blocked key. Only {@code store.jdbc} calls it.
 */
package dev.cdioutbox.internal.store.settle;
