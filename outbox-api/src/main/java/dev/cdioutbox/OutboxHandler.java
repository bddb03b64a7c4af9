package dev.cdioutbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a CDI bean or EJB that handles the events of a type after their commit, exactly once, without a broker.
 *
 * <pre>{@code
 * @ApplicationScoped
 * public class Shipping {
 *     @PersistenceContext
 *     EntityManager entities;
 *
 *     @OutboxHandler("shipping")
 *     public void ship(OrderPlaced order) {
 *         entities.persist(new Shipment(order.orderId()));
 *     }
 * }
 * }</pre>
 *
 * <p>The handler is a destination of its own, with the name of this annotation: {@code fire()} stores one message for each
 * handler of the event's type, beside those of the event's route. After the commit, also that of another node or after a crash,
 * the outbox calls the method in a new transaction, which removes the message when it commits. So the method's work in that
 * transaction takes effect once. A call to a web service, or a sent e-mail, may happen again after a rollback.
 *
 * <p>The messages of one key are handled in commit order, one after the other. If the method throws any exception, marks
 * its transaction for rollback, or takes longer than the transaction's time-out, everything is rolled back, and the message is tried
 * again as {@code outbox.retry.*} says; the later messages of its key wait, and those of other keys do not. A {@link
 * HandlerException} can ask for a later attempt, or for none.
 *
 * <p>The message is the cause of what the method fires, with its correlation id, tenant and trace. Whoever has committed, the caller
 * is unauthenticated, as that of an EJB timer; {@code @RunAs} gives an EJB the identity of a role. Request-scoped beans are new for
 * each call.
 *
 * <p>The method has one parameter for the event: a class or record with {@link OutboxEvent}, or any other one that JSON-B can read, if
 * {@link #types} names the events. Another parameter may be the {@link OutboxMessage}. The method returns nothing, is neither private,
 * static nor final, and joins the transaction of its caller, as an EJB's method does by default. The deployment fails
 * if the annotations say otherwise (OBX-0130). The work has to use the DataSource of the outbox.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface OutboxHandler {

    /**
     * The name of the handler, which is that of its destination, for example in {@code outbox.destinations.<name>.retry.max-attempts}:
     * at most 64 visible characters, without a slash. Do not change it: messages that wait keep the old name, and nobody handles
     * them.
     *
     * @return the name, which no other handler of the outbox has
     */
    String value();

    /**
     * The event types to handle, each as in {@code outbox.routes.<event type>}: a type, or the beginning of some and an
     * asterisk. Empty (the default) means the type of the parameter's class.
     *
     * @return event types, or empty if the parameter's class has {@link OutboxEvent}
     */
    String[] types() default {};

    /**
     * The versions of the payload that the parameter's class can read. A message of another version is tried again, since another node
     * may know it (OBX-0460). Empty (the default) means the version of the class's {@link OutboxEvent}, or any version for another
     * class.
     *
     * @return versions, or empty
     */
    int[] versions() default {};

    /**
     * The outbox that stores the events. Empty (the default) means that of the class's {@link OutboxEvent}, or else the default
     * outbox.
     *
     * @return the name of an outbox, or empty
     */
    String outbox() default "";
}
