/**
 * Recovery after the crash of a process: sends messages singly that may have been in flight. Enter at {@code CrashRecovery},
 * through which a worker delivers each batch.
 */
package dev.cdioutbox.internal.dispatch.crash;
