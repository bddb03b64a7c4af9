package dev.cdioutbox.jms.internal.consume;

import jakarta.jms.JMSException;
import jakarta.jms.Message;

import dev.cdioutbox.internal.config.OutboxConfig.InboxConfig.MissingId;
import dev.cdioutbox.internal.observe.ConsumedMessage;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.Inbox;
import dev.cdioutbox.jms.IdempotentConsumer;

/**
 * The id of a received message, which the inbox records, and the place of the message in the order of its key. Refuses a
 * missing id, and one that is too long.
 *
 * @param message its id is never null
 * @param key null if the message has no place in an order
 */
record ReceivedId(ConsumedMessage message, String key, long sequence) {

    /** @throws dev.cdioutbox.OutboxException OBX-0507 if the message has no id, or one that is too long to record */
    static ReceivedId of(IdempotentConsumer consumer, Object argument, MissingId missingId) {
        String name = consumer.value();
        if (!(argument instanceof Message message)) {
            String id = checked(name, argument == null ? null : argument.toString(), "the parameter");
            return new ReceivedId(new ConsumedMessage(id, null, null), null, 0);
        }
        try {
            ConsumedMessage consumed = new ConsumedMessage(
                    checked(name, id(message, missingId), "its messageId"),
                    message.getStringProperty("eventType"),
                    message.getJMSCorrelationID());
            // A consumer without ordering ignores the property, which may have another meaning in foreign messages.
            String key = consumer.ordered() ? key(message) : null;
            return key == null
                    ? new ReceivedId(consumed, null, 0)
                    : new ReceivedId(
                            consumed, checked(name, key, "its aggregateId"), message.getLongProperty("sequence"));
        } catch (JMSException | NumberFormatException e) {
            throw Problem.NO_MESSAGE_ID.exception(e, name, Problem.reason(e));
        }
    }

    private static String key(Message message) throws JMSException {
        String key = message.getStringProperty("aggregateId");
        boolean ordered = key != null
                && !key.isEmpty()
                && message.propertyExists("sequence")
                && !message.propertyExists("deliverNotBefore");
        return ordered ? key : null;
    }

    private static String id(Message message, MissingId missingId) throws JMSException {
        String id = message.getStringProperty("messageId");
        boolean missing = id == null || id.isEmpty();
        return missing && missingId == MissingId.JMS_MESSAGE_ID ? message.getJMSMessageID() : id;
    }

    private static String checked(String consumer, String text, String what) {
        if (text == null || text.isEmpty()) {
            throw Problem.NO_MESSAGE_ID.exception(consumer, what + " is missing");
        }
        if (text.length() > Inbox.MAX_ID_LENGTH) {
            throw Problem.NO_MESSAGE_ID.exception(
                    consumer,
                    "%s has %d characters; at most %d are allowed".formatted(what, text.length(), Inbox.MAX_ID_LENGTH));
        }
        return text;
    }
}
