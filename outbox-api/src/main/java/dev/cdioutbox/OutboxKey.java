package dev.cdioutbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the one field, record component or getter of an {@link OutboxEvent} that holds the ordering key. It
 * is also the id of the thing the event is about, unless {@link OutboxAggregateId} marks another property.
 *
 * <p>Messages of one key reach each destination in the order in which their transactions committed. The key's text is
 * {@link String#valueOf(Object)} of the value, or of the value inside of an {@link java.util.Optional}, at most 255
 * characters. A {@code null} key fails {@code fire()}: if the database generates the id, flush before firing.
 *
 * <p>Keys are compared within an application, an outbox and a destination, and by their texts alone: without the event
 * type and the {@linkplain OutboxEvent#aggregateType() aggregate type}. So an order and an invoice with the id 7 share a
 * key, and wait for each other. If they must not, give them keys with different texts, or different destinations.
 *
 * <p>Equal keys must have equal texts in every JVM. So the outbox refuses a key that is, or contains, one of these: an
 * array; an object without a {@code toString()}; a {@link java.util.Date} or {@link java.util.Calendar}, whose text
 * depends on the time zone of the JVM; a collection or a map. It looks into records that do not declare a {@code
 * toString()}; any other {@code toString()} is trusted. The deployment fails if the declared type shows the problem, and
 * {@code fire()} if only the value does.
 *
 * <p>A key of several values is a record:
 *
 * <pre>{@code
 * public record Shelf(String warehouse, int number) {}
 *
 * @OutboxEvent
 * public record ShelfCounted(@OutboxKey Shelf shelf, int items) {}
 * }</pre>
 *
 * <p>An event type without this annotation is unordered, unless {@link OutboxEvent#key()} names a property.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.RECORD_COMPONENT})
public @interface OutboxKey {}
