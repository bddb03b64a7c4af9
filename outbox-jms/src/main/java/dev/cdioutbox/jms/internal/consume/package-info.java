/**
 * Records each received message in the transaction that handles it, so that a duplicate has no effect. Enter at
 * {@code IdempotentConsumerInterceptor}; {@code ConsumerExtension} and {@code ConsumerCheck}
 * refuse consumers that cannot be idempotent. Only the container calls this package.
 */
package dev.cdioutbox.jms.internal.consume;
