/**
 * Delivers one batch: sends, settles, and after a failure decides whether the message or the destination is to blame.
 * Enter at {@code BatchDelivery}. The worker's loop calls it, and after a crash {@code CrashRecovery} does.
 */
package dev.cdioutbox.internal.dispatch.delivery;
