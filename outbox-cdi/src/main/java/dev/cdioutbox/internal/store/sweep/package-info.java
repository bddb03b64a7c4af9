/**
 * Deletes or archives messages whose retention is over. Enter at {@code RetentionSweeper}. Only {@code store.jdbc}
 * calls it.
 */
package dev.cdioutbox.internal.store.sweep;
