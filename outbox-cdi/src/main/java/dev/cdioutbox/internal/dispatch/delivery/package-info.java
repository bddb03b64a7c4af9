/**
 * Delivers one batch. {@code BatchDelivery} takes one group of its messages after another, {@code SendTransaction} sends
 * and settles a group, {@code FailurePolicy} decides what follows, and {@code ChargeTransaction} settles in the end what
 * was not sent. A worker creates a {@code BatchDelivery} for each batch, which {@code CrashRecovery} then calls. {@code
 * ExactlyOnceProbe} commits a transaction without messages: before the first batch, and when a failure may be that of the
 * destination.
 */
package dev.cdioutbox.internal.dispatch.delivery;
