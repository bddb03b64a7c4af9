/**
 * The state of a worker. Enter at {@code WorkerThreads}: its threads, with those that hang, and its consecutive
 * failures. {@code FailureLog} writes their log lines. The worker's loop calls this package.
 */
package dev.cdioutbox.internal.dispatch.worker;
