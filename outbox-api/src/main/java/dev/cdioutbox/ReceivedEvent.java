package dev.cdioutbox;

import java.util.Map;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

/**
 * An event as a consumer received it, from a broker or in an {@link OutboxHandler}. The consumer does not need the producer's class: the message names a type and a
 * version, and the consumer chooses its own class for them. Immutable and thread-safe.
 *
 * <pre>{@code
 * ReceivedEvent event = events.read(message);
 * switch (Objects.requireNonNullElse(event.type(), "")) { // null if the sender is not an outbox
 *     case "OrderPlaced" -> ship(event.as(OrderPlaced.class, 1, 2));
 *     case "OrderCancelled" -> stop(event.as(OrderCancelled.class));
 *     default -> throw event.unexpected();
 * }
 * }</pre>
 */
public interface ReceivedEvent {

    /**
     * The message's id, the same on every re-send.
     *
     * @return the property {@code messageId}, or null
     */
    @Nullable
    String id();

    /**
     * The event type.
     *
     * @return the property {@code eventType}, else {@code JMSType}, or null
     */
    @Nullable
    String type();

    /**
     * The version of the payload's shape.
     *
     * @return the property {@code schemaVersion}; 1 if there is none
     * @throws EventRefusedException OBX-0512 if the property is not a number
     */
    int version();

    /**
     * The ordering key.
     *
     * @return the property {@code messageKey}, else {@code aggregateId}; null if there is none, or an empty one
     */
    @Nullable
    String key();

    /**
     * The id of the thing the event is about, which is the key unless the sender has set another.
     *
     * @return the property {@code aggregateId}, or null
     */
    @Nullable
    String aggregateId();

    /**
     * The place of the message in the order of its key.
     *
     * @return the property {@code sequence}; empty if there is none, as in messages from an external destination
     * @throws EventRefusedException OBX-0512 if the property is not a number
     */
    OptionalLong sequence();

    /**
     * The tenant of the event.
     *
     * @return the property {@code tenantId}, or null
     */
    @Nullable
    String tenantId();

    /**
     * All properties of the message, including those above, without the properties of JMS itself: the correlation id is
     * {@link jakarta.jms.Message#getJMSCorrelationID}. Another sender's bytes, lists and maps are left out.
     *
     * @return texts by name; unmodifiable, never null
     */
    Map<String, String> headers();

    /**
     * The media type of the payload.
     *
     * @return the property {@code contentType}, or null
     */
    @Nullable
    String contentType();

    /**
     * The payload as the producer sent it.
     *
     * @return the text; empty if there is none
     * @throws EventRefusedException OBX-0548 if the payload is binary
     */
    String text();

    /**
     * The payload as bytes, for a binary format such as Avro.
     *
     * @return a copy of the bytes of a {@link jakarta.jms.BytesMessage}, or the text in UTF-8; never null
     */
    byte[] bytes();

    /**
     * Reads the payload with JSON-B, if the message has the class's event type: the {@code type} of its
     * {@link dev.cdioutbox.OutboxEvent} annotation, or else its simple name.
     *
     * @param type the consumer's own class or record
     * @param versions the versions of the payload that the class can read; none means that of the annotation, or else 1
     * @param <T> the class
     * @return the payload; never null
     * @throws EventRefusedException OBX-0511 if the message is of another type or version, OBX-0512 if JSON-B cannot read the
     *     text as this class, OBX-0548 if the payload is binary
     */
    <T> T as(Class<T> type, int... versions);

    /**
     * Reads the payload with JSON-B, if the message has this event type.
     *
     * @param eventType the event type that the class is for
     * @param type the consumer's own class or record
     * @param versions the versions of the payload that the class can read; none means 1
     * @param <T> the class
     * @return the payload; never null
     * @throws EventRefusedException OBX-0511 if the message is of another type or version, OBX-0512 if JSON-B cannot read the
     *     text as this class, OBX-0548 if the payload is binary
     */
    <T> T as(String eventType, Class<T> type, int... versions);

    /**
     * For the default branch of a switch: this consumer does not know such events. If the consumer throws the
     * exception, the container redelivers the message, and in the end moves it aside.
     *
     * @return OBX-0511, to be thrown
     */
    OutboxException unexpected();
}
