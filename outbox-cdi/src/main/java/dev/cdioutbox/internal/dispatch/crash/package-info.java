/**
 * Recovery after the crash of a process: single-message delivery of messages that may have been in flight. Enter at
 * {@code CrashRecovery}, which delivers a batch as usual if no process crashed. The worker's loop calls it.
 */
package dev.cdioutbox.internal.dispatch.crash;
