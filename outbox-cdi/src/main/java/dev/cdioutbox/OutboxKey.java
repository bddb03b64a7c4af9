package dev.cdioutbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the one field, record component or getter of an {@link OutboxEvent} that holds the aggregate's id, which is
 * also the ordering key.
 *
 * <p>Messages of one key reach each destination in the order in which their transactions committed. The key's text is
 * {@link String#valueOf(Object)} of the value, at most 255 characters. A {@code null} key fails {@code fire()}: if the
 * database generates the id, flush before firing.
 *
 * <p>An event type without this annotation is unordered.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.RECORD_COMPONENT})
public @interface OutboxKey {}
