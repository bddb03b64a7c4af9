/**
 * The state of a worker: its threads and its consecutive failures. Enter at
 * {@code WorkerThreads} and {@code WorkerStatus}. The worker's loop and the delivery call this package.
 */
package dev.cdioutbox.internal.dispatch.worker;
