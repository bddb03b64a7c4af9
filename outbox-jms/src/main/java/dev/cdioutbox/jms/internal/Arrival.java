package dev.cdioutbox.jms.internal;

import jakarta.jms.JMSException;
import jakarta.jms.Message;

import dev.cdioutbox.internal.config.InboxConfig.MissingId;
import dev.cdioutbox.internal.observe.ConsumedMessage;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.Inbox;

/**
 * What arrived.
 *
 * @param message its id is never null
 * @param key null if it has no place in an order
 */
record Arrival(ConsumedMessage message, String key, long sequence) {

    /** @throws dev.cdioutbox.OutboxException OBX-0507 if it has no id, or one that cannot be noted */
    static Arrival of(String consumer, Object told, MissingId missingId) {
        if (!(told instanceof Message message)) {
            String id = checked(consumer, told == null ? null : told.toString(), "the parameter");
            return new Arrival(new ConsumedMessage(id, null, null), null, 0);
        }
        try {
            String id = id(message, missingId);
            boolean ordered = message.propertyExists("sequence")
                    && !message.propertyExists("deliverNotBefore")
                    && message.getStringProperty("aggregateId") != null;
            ConsumedMessage consumed = new ConsumedMessage(
                    checked(consumer, id, "its messageId"),
                    message.getStringProperty("eventType"),
                    message.getJMSCorrelationID());
            return ordered
                    ? new Arrival(
                            consumed,
                            checked(consumer, message.getStringProperty("aggregateId"), "its aggregateId"),
                            message.getLongProperty("sequence"))
                    : new Arrival(consumed, null, 0);
        } catch (JMSException | NumberFormatException e) {
            throw Problem.NO_MESSAGE_ID.exception(e, consumer, Problem.reason(e));
        }
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
        if (text.length() > Inbox.MOST_OF_ID) {
            throw Problem.NO_MESSAGE_ID.exception(
                    consumer,
                    "%s has %d characters; at most %d are allowed".formatted(what, text.length(), Inbox.MOST_OF_ID));
        }
        return text;
    }
}
