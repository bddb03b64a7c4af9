/**
 * Runs the dispatchers in an EJB container, for any transport. Enter at {@code Dispatchers}, which assembles the dispatchers of
 * all outboxes. {@code OutboxTimer} lists the timers of an outbox, and {@code WorkerTimer} has those of a worker; {@code
 * SenderThreads} and {@code ApplicationThreads} give them threads, {@code ContainerTransactions} transactions, and {@code
 * ApplicationNotifier} makes CDI events, which an {@code ObserverQueue} fires for the application. Only the container calls this package.
 */
package dev.cdioutbox.internal.ejb;
