/**
 * The rows of dispatching processes: the heartbeat, and the sweep of rows that crashed processes left. Enter at
 * {@code NodeTable}. Only {@code store.jdbc} calls it.
 */
package dev.cdioutbox.internal.store.node;
