/**
 * Delivers one batch. {@code BatchDelivery} makes one attempt: {@code SendTransaction} sends the messages with a {@code SendLoop}
 * and settles them. If that has not settled all, {@code BatchRecovery} makes further attempts as {@code FailurePolicy} decides,
 * {@code HeldMessages} says what may be skipped, and {@code UnsentTransaction} settles in the end what was not sent.
 *
 * <p>A worker enters at {@code BatchDelivery}, and after a crash {@code DestinationRecovery} enters at {@code BatchRecovery}. {@code
 * ProbeTransaction} is a batch without messages: before the first batch, and when a failure may be that of the destination.
 */
package dev.cdioutbox.internal.dispatch.delivery;
