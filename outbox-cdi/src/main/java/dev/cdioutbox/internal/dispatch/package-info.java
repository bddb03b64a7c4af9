/**
 * Dispatches the messages of one outbox on this node: each destination has a worker, which repeats claim, publish
 * and settle. Enter at {@link dev.cdioutbox.internal.dispatch.DestinationWorker}, which carries out what {@code
 * WorkerState} decides: its threads take turns, and {@code TurnTask} does the work of a turn. {@link dev.cdioutbox.internal.dispatch.Dispatcher} assembles the workers, and package
 * {@code ejb} calls both with its timers and threads. Each batch passes through {@code CrashRecovery},
 * which sends messages singly after a crash; {@code InDoubtTracker} and {@code SweepTask} work beside the batches.
 */
package dev.cdioutbox.internal.dispatch;
