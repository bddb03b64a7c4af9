package dev.cdioutbox.jms.internal.consume;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageFormatException;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.consume.ConsumedMessage;
import dev.cdioutbox.internal.consume.ConsumerRules;
import dev.cdioutbox.internal.consume.Received;
import dev.cdioutbox.internal.consume.Received.Place;
import dev.cdioutbox.internal.transport.Envelope;
import dev.cdioutbox.jms.IdempotentConsumer;
import dev.cdioutbox.jms.internal.send.EncodedProperties;

/**
 * Reads the id of a received message, which the inbox records, and the place of the message in the order of its key. Refuses a
 * message without an id that can be recorded.
 */
final class ReceivedMapping {
    private ReceivedMapping() {}

    /** @throws dev.cdioutbox.OutboxException OBX-0507 if the message has no id, or one that cannot be recorded */
    static Received received(IdempotentConsumer consumer, Object argument) {
        String name = consumer.value();
        if (argument instanceof Message message) {
            return received(name, consumer.ordered(), message);
        }
        String id = checked(name, argument == null ? null : argument.toString(), "the parameter");
        return new Received(new ConsumedMessage(id, null, null), null, false);
    }

    /**
     * @param name of the consumer
     * @param ordered whether it asks for the place of the message
     * @throws dev.cdioutbox.OutboxException OBX-0507 if the message has no id, or one that cannot be recorded
     */
    static Received received(String name, boolean ordered, Message message) {
        return read(name, () -> {
            String id = checked(name, id(message), "its messageId");
            return received(message, id, ordered ? place(message) : null);
        });
    }

    /**
     * The message under an id that the application has found in it; it has no place, since its sender is no outbox.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0507 if this id cannot be recorded
     */
    static Received foreign(String name, Message message, String id) {
        String own = checked(name, id, "its id");
        return read(name, () -> received(message, own, null));
    }

    private static Received received(Message message, String id, Place place) throws JMSException {
        ConsumedMessage consumed =
                new ConsumedMessage(id, EncodedProperties.text(message, "eventType"), message.getJMSCorrelationID());
        return new Received(consumed, place, message.getJMSRedelivered());
    }

    private static Received read(String name, Reading reading) {
        try {
            return reading.read();
        } catch (JMSException e) {
            throw OutboxCode.NO_MESSAGE_ID.exception(e, name, FailureReason.of(e));
        }
    }

    /** Null without a key or a sequence, and for one that is no number: it is another sender's, and has another meaning. */
    private static Place place(Message message) throws JMSException {
        String key = key(message);
        try {
            return key == null
                    ? null
                    : new Place(
                            key,
                            message.getLongProperty("sequence"),
                            ConsumerRules.timeOrNull(EncodedProperties.text(message, "storedAt")));
        } catch (NumberFormatException | MessageFormatException e) {
            return null;
        }
    }

    /** Null for a delayed message, and for a text that no outbox would have accepted as a key: it is another sender's. */
    private static String key(Message message) throws JMSException {
        String key =
                EncodedProperties.text(message, message.propertyExists(Envelope.KEY) ? Envelope.KEY : "aggregateId");
        boolean ordered = key != null
                && !key.isEmpty()
                && ConsumerRules.idProblem(key) == null
                && !message.propertyExists("deliverNotBefore");
        return ordered ? key : null;
    }

    private static String id(Message message) throws JMSException {
        // Two damaged ids may look alike. Without its id, a message is not taken for a copy of another one.
        String id = EncodedProperties.text(message, "messageId");
        return id == null || id.isEmpty() ? message.getJMSMessageID() : id;
    }

    private static String checked(String consumer, String text, String what) {
        String problem = text == null || text.isEmpty() ? "is missing" : ConsumerRules.idProblem(text);
        if (problem != null) {
            throw OutboxCode.NO_MESSAGE_ID.exception(consumer, what + " " + problem);
        }
        return text;
    }

    private interface Reading {
        Received read() throws JMSException;
    }
}
