/**
 * Finds the message that crashes each process that sends it. Enter at {@code CrashRecovery}, whose {@code DestinationRecovery} gets only the
 * batches that may have such a message.
 */
package dev.cdioutbox.internal.dispatch.crash;
