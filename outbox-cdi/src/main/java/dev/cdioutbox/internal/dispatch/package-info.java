/**
 * Dispatches the messages of one outbox on this node: each destination has a worker, which repeats claim, publish
 * and settle. Enter at {@link dev.cdioutbox.internal.dispatch.DestinationWorker}, which carries out what {@code
 * WorkerState} decides: its threads go through cycles, and {@code DeliveryCycle} does the work of a cycle. {@link
 * dev.cdioutbox.internal.dispatch.Dispatcher} assembles the workers and what works beside the batches, such as {@code
 * PurgeTask}, and package {@code ejb} calls both with its timers and threads.
 */
package dev.cdioutbox.internal.dispatch;
