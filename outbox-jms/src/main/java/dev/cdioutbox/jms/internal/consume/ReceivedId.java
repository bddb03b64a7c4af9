package dev.cdioutbox.jms.internal.consume;

import java.time.Instant;
import java.time.format.DateTimeParseException;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageFormatException;

import dev.cdioutbox.internal.capture.event.StorableText;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.observe.ConsumedMessage;
import dev.cdioutbox.internal.store.jdbc.JdbcInbox;
import dev.cdioutbox.internal.store.jdbc.JdbcInbox.Position;
import dev.cdioutbox.internal.transport.Envelope;
import dev.cdioutbox.jms.IdempotentConsumer;
import dev.cdioutbox.jms.internal.send.EncodedProperties;

/**
 * The id of a received message, which the inbox records, and the place of the message in the order of its key. Refuses a
 * message without an id that can be recorded.
 *
 * @param message its id is never null
 * @param key null if the message has no place in an order
 * @param position null if the message has no place in an order
 * @param redelivered whether the broker has delivered the message before
 */
record ReceivedId(ConsumedMessage message, String key, Position position, boolean redelivered) {
    /** Databases refuse times that are much later. */
    private static final Instant MOST = Instant.parse("9999-12-31T00:00:00Z");

    /** @throws dev.cdioutbox.OutboxException OBX-0507 if the message has no id, or one that cannot be recorded */
    static ReceivedId of(IdempotentConsumer consumer, Object argument) {
        String name = consumer.value();
        if (!(argument instanceof Message message)) {
            String id = checked(name, argument == null ? null : argument.toString(), "the parameter");
            return new ReceivedId(new ConsumedMessage(id, null, null), null, null, false);
        }
        try {
            ConsumedMessage consumed = new ConsumedMessage(
                    checked(name, id(message), "its messageId"),
                    EncodedProperties.text(message, "eventType"),
                    message.getJMSCorrelationID());
            String key = consumer.ordered() ? key(message) : null;
            Position position = key == null ? null : position(message);
            return new ReceivedId(consumed, position == null ? null : key, position, message.getJMSRedelivered());
        } catch (JMSException e) {
            throw OutboxCode.NO_MESSAGE_ID.exception(e, name, FailureReason.of(e));
        }
    }

    /** Null for a delayed message, and for a text that no outbox would have accepted as a key: it is another sender's. */
    private static String key(Message message) throws JMSException {
        String key =
                EncodedProperties.text(message, message.propertyExists(Envelope.KEY) ? Envelope.KEY : "aggregateId");
        boolean ordered =
                key != null && !key.isEmpty() && problem(key) == null && !message.propertyExists("deliverNotBefore");
        return ordered ? key : null;
    }

    /** Null without a sequence, and for one that is no number: it is another sender's, and has another meaning. */
    private static Position position(Message message) throws JMSException {
        try {
            return new Position(message.getLongProperty("sequence"), storedAt(message.getStringProperty("storedAt")));
        } catch (NumberFormatException | MessageFormatException e) {
            return null;
        }
    }

    private static Instant storedAt(String text) {
        try {
            Instant time = text == null ? null : Instant.parse(text);
            return time == null || time.isBefore(Instant.EPOCH) || time.isAfter(MOST) ? null : time;
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    private static String id(Message message) throws JMSException {
        // Two damaged ids may look alike. Without its id, a message is not taken for a copy of another one.
        String id = EncodedProperties.text(message, "messageId");
        return id == null || id.isEmpty() ? message.getJMSMessageID() : id;
    }

    private static String checked(String consumer, String text, String what) {
        String problem = text == null || text.isEmpty() ? "is missing" : problem(text);
        if (problem != null) {
            throw OutboxCode.NO_MESSAGE_ID.exception(consumer, what + " " + problem);
        }
        return text;
    }

    /** Why the inbox cannot record a text, as the predicate of a sentence; or null. */
    private static String problem(String text) {
        return text.length() > JdbcInbox.MAX_ID_LENGTH
                ? "has %s characters; at most %s are allowed".formatted(text.length(), JdbcInbox.MAX_ID_LENGTH)
                : StorableText.problem(text);
    }
}
