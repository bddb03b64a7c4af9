package dev.cdioutbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.enterprise.inject.Stereotype;

/**
 * Marks an event class or record. When the application fires an instance as a plain CDI event, the current transaction
 * stores it in the outbox.
 *
 * <p>{@code Event<OrderPlaced>.fire(…)} serializes the event at once, so that every error surfaces in {@code fire()}
 * and a later change of the object has no effect. The outbox writes the row when the transaction completes, after the
 * Jakarta Persistence flush. A rollback removes the row too.
 *
 * <p>Fire synchronously and inside a JTA transaction: the outbox refuses an event outside of one (see the key
 * {@code outbox.outside-transaction}), and {@code fireAsync} returns a failed stage.
 *
 * <p>This annotation is a stereotype only so that CDI discovers the type in bean archives with
 * {@code bean-discovery-mode="annotated"}. The outbox vetoes the type: an annotated class never becomes a bean.
 *
 * @see OutboxKey
 */
@Documented
@Stereotype
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface OutboxEvent {

    /**
     * The stable name that the outbox stores and sends. Consumers select messages by this name. Empty (the default)
     * means the simple class name. Two classes with one name fail the deployment.
     *
     * @return the event type, or empty for the simple class name
     */
    String type() default "";

    /**
     * The version of the payload's shape. Raise it when consumers must distinguish old payloads from new ones.
     *
     * @return the schema version, 1 or more
     */
    int version() default 1;

    /**
     * Logical destination names as configured by {@code outbox.destinations.<name>.jndi}. The outbox stores one row for
     * each. Empty (the default) means the destinations of {@code outbox.routes.<event type>}, or {@code default}
     * without such a route.
     *
     * @return logical destination names, or empty
     */
    String[] destination() default {};

    /**
     * The kind of thing the event is about, for example {@code Order}.
     *
     * @return the aggregate type, or empty for none
     */
    String aggregateType() default "";

    /**
     * The outbox that stores the event, as configured by {@code outbox.outboxes.<name>.datasource}. Choose the one on
     * the DataSource of the business rows. Empty (the default) means the default outbox.
     *
     * @return the name of an outbox, or empty for the default one
     */
    String outbox() default "";
}
