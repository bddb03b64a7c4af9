/**
 * Delivers one batch. {@code BatchDelivery} takes one group of its messages after another: {@code SendTransaction} sends the
 * group with a {@code SendLoop} and settles it, and {@code FailurePolicy} decides what follows. {@code ChargeTransaction}
 * settles in the end what was not sent.
 *
 * <p>A worker creates a {@code BatchDelivery} for each batch, which {@code CrashRecovery} then calls. {@code ProbeTransaction}
 * is a batch without messages: before the first batch, and when a failure may be that of the destination.
 */
package dev.cdioutbox.internal.dispatch.delivery;
