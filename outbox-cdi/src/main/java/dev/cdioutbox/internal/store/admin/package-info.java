/**
 * Operators' reads and changes: lists, retry, replay, discard, pause. Enter at {@code JdbcOperatorStore} for changes,
 * at {@code MessageFinder} for reads. {@code store.jdbc} calls it, and the backlog reads the paused destinations here.
 */
package dev.cdioutbox.internal.store.admin;
