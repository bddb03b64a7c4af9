package dev.cdioutbox.jms;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the parameter with the id of the work, for an {@link IdempotentConsumer} method without a JMS message. Examples
 * are the id in a web hook, or the idempotency key of a request. The id's text is {@link String#valueOf(Object)} of the
 * value, of 1 to 255 characters; the call fails for null or an empty text.
 *
 * <pre>{@code
 * @Transactional
 * @IdempotentConsumer("payments")
 * public void pay(@MessageId String idempotencyKey, Payment payment) {
 *     entities.persist(payment);
 * }
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface MessageId {}
