package dev.cdioutbox.jms;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.enterprise.util.Nonbinding;
import jakarta.interceptor.InterceptorBinding;

/**
 * Lets each message take effect once, even after redeliveries: the pattern <em>idempotent receiver</em>.
 *
 * <pre>{@code
 * @MessageDriven
 * @IdempotentConsumer("shipping")
 * public class ShippingBean implements MessageListener {
 *     @Inject
 *     ReceivedEvents events;
 *
 *     public void onMessage(Message message) {
 *         ship(events.read(message).as(OrderPlaced.class));
 *     }
 * }
 * }</pre>
 *
 * <p>The interceptor records the message's id in the outbox's database, in the transaction in which the method does its
 * work: both commit, or neither. A message that was recorded before is skipped: the interceptor does not call the
 * method, and the message is acknowledged. If two copies arrive at the same moment, one waits until the other's
 * transaction has ended. Only work in that transaction takes effect once; a rollback does not take back a sent e-mail.
 *
 * <p>Put the annotation on a message-driven bean or its {@code onMessage}, or on a method of an EJB or CDI bean. The
 * container must call the method. One parameter must be a {@link jakarta.jms.Message}, or marked with
 * {@link MessageId}. On a class, the annotation applies to all such methods. The method needs a transaction of the
 * container: without one, the deployment fails if it can detect that, else the call. If the method throws any
 * exception, its transaction is marked for rollback. For a skipped message, the call returns null, zero or false.
 *
 * <p>The id is the property {@code messageId}, which the outbox sets. A foreign message without this property is
 * identified by its {@code JMSMessageID}. The outbox keeps ids for {@code outbox.retention.inbox}: the consumer handles
 * a later copy again.
 */
@Documented
@Inherited
@InterceptorBinding
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface IdempotentConsumer {

    /**
     * The name under which the interceptor records messages, of 1 to 64 characters. Do not change the name: under
     * another name every message is new. If several consumers handle the same messages, each needs its own name.
     *
     * @return the consumer's name
     */
    @Nonbinding
    String value();

    /**
     * Whether the consumer also skips a message if it has handled a later one of the same key. Choose this where only
     * the latest state matters: a skipped message has no effect. The property {@code messageKey}, or else
     * {@code aggregateId}, is the key, and {@code sequence} the order. The consumer handles a message without one of them, or with a delay, at any time. If it
     * may have forgotten a later message of the key, because {@code outbox.retention.inbox} is over, it refuses the message
     * (OBX-0525). A
     * message with a lower sequence that was stored more than two minutes after the last one is refused (OBX-0520): the
     * sequence of its sender has begun again.
     *
     * @return true to skip messages that arrive after a later one of their key
     */
    @Nonbinding
    boolean ordered() default false;

    /**
     * The outbox in whose database the interceptor records messages, as configured by
     * {@code outbox.outboxes.<name>.datasource}. Choose the one on the DataSource that the method uses, so that both
     * are one branch of the transaction. Empty (the default) means the default outbox. An unknown outbox fails the
     * deployment.
     *
     * @return the name of an outbox, or empty for the default one
     */
    @Nonbinding
    String outbox() default "";
}
