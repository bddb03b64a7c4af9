/**
 * Finds the message that crashes each process that sends it. Enter at {@code CrashRecovery}, to which a worker gives only the
 * batches that may have such a message.
 */
package dev.cdioutbox.internal.dispatch.crash;
