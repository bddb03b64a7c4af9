/**
 * The state of a worker: its threads, its failures in a row, and whether exactly-once is proven. Enter at {@code
 * WorkerThreads} and {@code WorkerStatus}. The worker's loop and the delivery call it.
 */
package dev.cdioutbox.internal.dispatch.worker;
