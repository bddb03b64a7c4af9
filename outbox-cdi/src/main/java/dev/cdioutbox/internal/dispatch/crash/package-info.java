/**
 * Finds the message that crashes each process that sends it. Enter at {@code CrashRecovery}, through which each batch
 * passes.
 */
package dev.cdioutbox.internal.dispatch.crash;
