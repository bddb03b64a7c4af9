/**
 * Delivers one batch. {@code BatchDelivery} takes one group of messages after the other, {@code DeliveryTransaction} sends
 * and settles a group, and {@code FailurePolicy} decides what follows. A worker creates a {@code BatchDelivery} for each batch,
 * and {@code CrashRecovery} calls it.
 */
package dev.cdioutbox.internal.dispatch.delivery;
