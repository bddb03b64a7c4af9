/**
 * The state of a worker: its threads, its consecutive failures, and whether exactly-once is proven. Enter at
 * {@code WorkerThreads} and {@code WorkerStatus}. The worker's loop and the delivery call this package.
 */
package dev.cdioutbox.internal.dispatch.worker;
