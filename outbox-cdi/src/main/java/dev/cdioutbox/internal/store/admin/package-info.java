/**
 * Operators' reads and changes: lists, retry, replay, discard, pause. Enter at {@code OperatorStore} for changes, at
 * {@code MessageFinder} for reads. {@code store.jdbc} and {@code operate} call it, and the backlog reads the paused
 * destinations here.
 */
package dev.cdioutbox.internal.store.admin;
