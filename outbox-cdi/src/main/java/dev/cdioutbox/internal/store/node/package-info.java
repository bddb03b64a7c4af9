/**
 * The rows of the processes that dispatch: heartbeat, and what a crashed process leaves behind. Enter at {@code
 * NodeTable}. Only {@code store.jdbc} calls it.
 */
package dev.cdioutbox.internal.store.node;
