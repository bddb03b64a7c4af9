package dev.cdioutbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.enterprise.inject.Stereotype;

/**
 * Marks an event class or record whose instances, fired as plain CDI events, are stored in the outbox by the
 * transaction they are fired in.
 *
 * <p>{@code Event<OrderPlaced>.fire(…)} serializes the event at once, so that every error surfaces in {@code fire()}
 * and a later change of the object changes nothing. The row is written when the transaction completes, after the
 * Jakarta Persistence flush. If the transaction rolls back, nothing was ever there.
 *
 * <p>Fire synchronously and inside a JTA transaction: an event fired outside of one is refused (see the key
 * {@code outbox.outside-transaction}), and one fired with {@code fireAsync} fails the returned stage.
 *
 * <p>It is a stereotype only to make bean archives with {@code bean-discovery-mode="annotated"} show the type to the
 * extension, which takes it out again: an annotated class never becomes a bean.
 *
 * @see OutboxKey
 */
@Documented
@Stereotype
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface OutboxEvent {

    /**
     * The stable name that is stored and sent; consumers choose by it. Empty (the default) means the simple class
     * name. Two classes with one name fail the deployment.
     *
     * @return the event type, or empty for the simple class name
     */
    String type() default "";

    /**
     * The version of the payload's shape. Raise it when consumers must tell old from new.
     *
     * @return the schema version, 1 or more
     */
    int version() default 1;

    /**
     * Logical destination names as configured by {@code outbox.destinations.<name>.jndi}. One row is stored for each.
     * Empty (the default) means that {@code outbox.routes.<event type>} decides, and without such a route the
     * destination {@code default}.
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
     * The outbox that stores the event, as configured by {@code outbox.outboxes.<name>.datasource}: that of the DataSource
     * its business rows are in. Empty (the default) means the default outbox.
     *
     * @return the name of an outbox, or empty for the default one
     */
    String outbox() default "";
}
