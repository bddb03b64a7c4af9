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
 * Lets each message take effect once, however often it is received: an idempotent receiver.
 *
 * <pre>{@code
 * @MessageDriven(activationConfig = …)
 * @IdempotentConsumer("shipping")
 * public class ShippingBean implements MessageListener {
 *     public void onMessage(Message message) { … }
 * }
 * }</pre>
 *
 * <p>The message's id is noted in the outbox's database by the transaction in which the method does its work: either both
 * are committed or neither is. A message that was noted before is skipped: the method is not called, and the message is
 * acknowledged. If two copies are received at the same moment, one waits until the other's transaction has ended. The work
 * is safe as far as it belongs to that transaction; an e-mail that was sent is not taken back.
 *
 * <p>It belongs on a message-driven bean or its {@code onMessage}, or on any method of an EJB or CDI bean, called through
 * its container, that takes a {@link jakarta.jms.Message} or a parameter marked with {@link MessageId}. On a class it
 * means those of its methods that do. The method needs a transaction of the container: where there can be none, the
 * deployment fails, and where that shows only then, the call. If the method throws, whatever it throws, its transaction is
 * marked for rollback. When a message is skipped, it returns null, zero or false.
 *
 * <p>The id is the property {@code messageId}, which the outbox sets. For messages of others that have none, see the key
 * {@code outbox.inbox.missing-id}. Ids are remembered for {@code outbox.retention.inbox}: a copy that comes later than
 * that is handled again.
 */
@Documented
@Inherited
@InterceptorBinding
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface IdempotentConsumer {

    /**
     * The name under which messages are noted, of up to 64 characters. It must stay the same: under another name every
     * message is new. Consumers that each want to see a message need names of their own.
     *
     * @return the consumer's name
     */
    @Nonbinding
    String value();

    /**
     * Whether a message is skipped too if a later one of its key was handled before it. Choose it where only the latest
     * state matters: what is skipped has no effect at all. A key's order is that of the property {@code sequence}, and its
     * key is {@code aggregateId}; a message that lacks one of them, or was delayed on purpose, is handled whenever it comes.
     *
     * @return whether a key's messages take effect in order only
     */
    @Nonbinding
    boolean ordered() default false;

    /**
     * The outbox in whose database messages are noted, as configured by {@code outbox.outboxes.<name>.datasource}: that of
     * the DataSource in which the method does its work, so that both are one branch of the transaction. Empty (the default)
     * means the default outbox. An outbox that is not configured fails the deployment.
     *
     * @return the name of an outbox, or empty for the default one
     */
    @Nonbinding
    String outbox() default "";
}
