/**
 * Operators' reads and changes: lists, retry, replay, discard, pause. Enter at {@code JdbcOperatorStore} for changes,
 * at {@code MessageFinder} for reads. Only {@code store.jdbc} calls it.
 */
package dev.cdioutbox.internal.store.admin;
