/**
 * Finds the message that crashes each process that sends it. {@code CrashRecovery} looks for crashed processes at the start. Its
 * {@code DestinationRecovery} gets only the batches that may have such a message; {@code SuspectBatch} and {@code CrashPolicy}
 * decide, and {@code SingleSends} and {@code UnfinishedSends} send one by one and count.
 */
package dev.cdioutbox.internal.dispatch.crash;
