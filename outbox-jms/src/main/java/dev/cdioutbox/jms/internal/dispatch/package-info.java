/**
 * Runs the dispatchers on the container's timers and threads. Enter at {@code DispatchTimer}, which assembles the
 * dispatchers of all outboxes and calls their workers; {@code ContainerThreads} gives a worker a thread, {@code
 * ContainerTransactions} gives it transactions. Only the container calls this package.
 */
package dev.cdioutbox.jms.internal.dispatch;
