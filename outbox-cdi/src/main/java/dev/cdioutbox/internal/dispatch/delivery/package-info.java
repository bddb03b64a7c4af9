/**
 * Delivers one batch. {@code BatchDelivery} takes one group of its messages after another, {@code
 * DeliveryTransaction} sends and settles a group, and {@code FailurePolicy} decides what follows. A worker creates
 * a {@code BatchDelivery} for each batch, which {@code CrashRecovery} then calls. {@code ExactlyOnceProbe} commits a
 * transaction without messages: before the first batch, and when a failure may be that of the destination.
 */
package dev.cdioutbox.internal.dispatch.delivery;
