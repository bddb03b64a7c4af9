/**
 * Recovery after the crash of a process: single-message delivery of messages that may have been in flight. Enter at
 * {@code CrashRecovery}. The worker's loop asks it once whether a process crashed, and only then gives it the batches.
 */
package dev.cdioutbox.internal.dispatch.crash;
