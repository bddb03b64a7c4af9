/**
 * Runs the dispatchers on the container's timers and threads. Enter at {@code DispatchTimer}, which runs the
 * workers of {@code DispatchService}; {@code WorkerStarter} gives a worker a thread, {@code
 * ContainerTransactions} gives it transactions. Only the container calls this package.
 */
package dev.cdioutbox.jms.internal.dispatch;
