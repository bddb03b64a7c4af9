/**
 * Records each received message in the transaction that handles it, so that a duplicate has no effect. Enter at
 * {@code IdempotentConsumerInterceptor} and {@code Consumption}; {@code ConsumerExtension} and {@code ConsumerCheck}
 * refuse consumers that cannot be idempotent, {@code InboxTimer} and {@code InboxSweep} delete old ids. The container
 * calls this package.
 */
package dev.cdioutbox.jms.internal.consume;
