/**
 * Dispatches one outbox on this node: a worker for each destination repeats claim, publish, settle. Enter at {@link
 * dev.cdioutbox.internal.dispatch.DestinationWorker}, for which {@code WorkerState} decides; {@link
 * dev.cdioutbox.internal.dispatch.Dispatcher} assembles. The timers and threads of package {@code ejb} call it.
 */
package dev.cdioutbox.internal.dispatch;
