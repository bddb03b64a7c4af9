package dev.cdioutbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the one field, record component or getter of an {@link OutboxEvent} that holds the id of the thing the event is
 * about, where that is not the {@linkplain OutboxKey ordering key}.
 *
 * <p>The events of all orders of a customer are in one order, and each names its order:
 *
 * <pre>{@code
 * @OutboxEvent(aggregateType = "Order")
 * public record OrderPlaced(@OutboxAggregateId String orderId, @OutboxKey String customer) {}
 * }</pre>
 *
 * <p>The outbox stores and sends the id; it has no part in the order. Its text is made like that of a key, and has at most 255
 * characters, or {@code fire()} fails (OBX-0126). Without this annotation, or if the value is {@code null} or an empty {@link
 * java.util.Optional}, the aggregate's id is the key.
 *
 * <p>A class that cannot carry the annotation names the property in {@link OutboxEvent#aggregateId()}; an enricher may set
 * another id ({@link dev.cdioutbox.spi.OutboxMetadata#aggregateId(String)}).
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.RECORD_COMPONENT})
public @interface OutboxAggregateId {}
