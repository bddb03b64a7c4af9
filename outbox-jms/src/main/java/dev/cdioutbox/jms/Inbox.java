package dev.cdioutbox.jms;

import jakarta.jms.Message;

/**
 * Stores received messages for a handler, so that the broker's few redeliveries no longer decide what becomes of them: the pattern
 * <em>inbox</em>. Inject it. Thread-safe.
 *
 * <pre>{@code
 * @MessageDriven
 * public class ShippingBean implements MessageListener {
 *     @Inject
 *     Inbox inbox;
 *
 *     public void onMessage(Message message) {
 *         inbox.accept(message, "shipping");
 *     }
 * }
 *
 * @ApplicationScoped
 * public class Shipping {
 *     @OutboxHandler("shipping")
 *     public void ship(OrderPlaced order) {
 *         entities.persist(new Shipment(order.orderId()));
 *     }
 * }
 * }</pre>
 *
 * <p>The message is stored in the transaction of the caller, which the container has begun, and which acknowledges the message: both
 * commit, or neither. Then the outbox calls the handler, and tries again as {@code outbox.retry.*} says, for hours if need be. A copy of a
 * message is recognized by its id, as by {@link IdempotentConsumer}, and not stored again.
 *
 * <p>The handler gets the messages of a key in the order in which they were accepted, however many threads accept them: the
 * key is locked until the transaction ends. A message that arrives after a later one of its key, by the property {@code sequence},
 * is stored but not handled: it is abandoned with its reason (OBX-0472), until an operator retries or discards it.
 *
 * <p>If a call fails, the transaction is marked for rollback, and the broker delivers the message again.
 */
public interface Inbox {

    /**
     * Stores a message that an outbox sent, or one with the same properties. The stored message has its event type, version, key,
     * aggregate, tenant, correlation id, content type and headers; its causation id is the received id.
     *
     * @param message a {@link jakarta.jms.TextMessage} or {@link jakarta.jms.BytesMessage}; not null
     * @param handler the name of an {@link dev.cdioutbox.OutboxHandler}; {@code <outbox>/<name>} if several outboxes have one of this name
     * @return false for a copy of a message that was stored before
     * @throws dev.cdioutbox.EventRefusedException OBX-0471 if it has no event type, or a text that the tables cannot hold, OBX-0512 if it is
     *     of another kind
     * @throws dev.cdioutbox.OutboxException OBX-0470 if there is no such handler, OBX-0506 without an active transaction, OBX-0507 if
     *     the message has no id
     */
    boolean accept(Message message, String handler);

    /**
     * Stores a message of another sender, which says in its own way what it is. Other properties become headers, without bytes, lists
     * and maps. Its sequence is not looked at: the order of its key is the order of the calls.
     *
     * @param message a {@link jakarta.jms.TextMessage} or {@link jakarta.jms.BytesMessage}; not null
     * @param handler the name of an {@link dev.cdioutbox.OutboxHandler}; {@code <outbox>/<name>} if several outboxes have one of this name
     * @param described what the message is; not null
     * @return false for a copy of a message that was stored before
     * @throws dev.cdioutbox.EventRefusedException OBX-0471 if the tables cannot hold one of its texts, OBX-0512 if it is of another
     *     kind
     * @throws dev.cdioutbox.OutboxException OBX-0470 if there is no such handler, OBX-0506 without an active transaction, OBX-0507 if
     *     neither the message nor its description has an id, or if it cannot be recorded
     */
    boolean accept(Message message, String handler, ForeignMessage described);
}
