/**
 * Delivers one batch. {@code BatchDelivery} takes one group of messages after the other, {@code DeliveryTransaction} sends
 * and settles a group, and {@code FailurePolicy} decides what follows. The worker calls {@code BatchDelivery}, and after a
 * crash {@code CrashRecovery} does.
 */
package dev.cdioutbox.internal.dispatch.delivery;
