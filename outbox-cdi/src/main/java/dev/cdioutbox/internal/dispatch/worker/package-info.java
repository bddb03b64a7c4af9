/**
 * The state of a worker. Enter at {@code WorkerThreads} for its threads, with those that hang, and at
 * {@code WorkerStatus} for its consecutive failures and their log lines. The worker's loop and the delivery call this
 * package.
 */
package dev.cdioutbox.internal.dispatch.worker;
