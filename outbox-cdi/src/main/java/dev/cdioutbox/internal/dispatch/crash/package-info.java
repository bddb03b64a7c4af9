/**
 * Recovery after a process has crashed: the messages that it may have been sending are sent one by one. Enter at
 * {@code CrashRecovery}, through which a worker delivers each batch.
 */
package dev.cdioutbox.internal.dispatch.crash;
