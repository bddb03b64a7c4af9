/**
 * Delivers one batch: sends, settles, and after a failure decides whether the message or the destination is to blame.
 * Enter at {@code BatchDelivery}. {@code CrashRecovery} calls this package for the worker's loop.
 */
package dev.cdioutbox.internal.dispatch.delivery;
