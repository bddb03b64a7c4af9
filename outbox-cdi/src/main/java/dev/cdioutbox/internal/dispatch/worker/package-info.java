/**
 * The state of a worker. Enter at {@code WorkerThreads}: its threads, with those that hang, and its consecutive
 * failures. {@code FailureLog} writes their log lines. {@code NextRange} has the partitions in which the threads look next.
 * The worker's loop calls this package.
 */
package dev.cdioutbox.internal.dispatch.worker;
