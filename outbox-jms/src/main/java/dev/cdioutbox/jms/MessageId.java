package dev.cdioutbox.jms;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the parameter that identifies what an {@link IdempotentConsumer} method handles, where that is no JMS message: the
 * id in a web hook, the idempotency key of a request. Its text is {@link String#valueOf(Object)} of the value, of up to 255
 * characters; null or empty is refused.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface MessageId {}
