/** Moves due delayed messages to their partitions. Enter at {@code DelayedQueue}. Only {@code store.jdbc} calls it. */
package dev.cdioutbox.internal.store.delayed;
