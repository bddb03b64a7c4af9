package dev.cdioutbox.jms.internal.deadletter;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.TextMessage;

import dev.cdioutbox.internal.deadletter.DeadLetter;
import dev.cdioutbox.internal.deadletter.DeadLetterFilter;
import dev.cdioutbox.internal.transport.Envelope;
import dev.cdioutbox.jms.internal.send.EncodedProperties;

/** Maps a JMS message to a dead letter, and a filter to a selector. */
final class LetterMapping {
    /** The prefix that JMS requires of each JMSMessageID. */
    private static final String BROKERS_ID = "ID:";

    // Liberty's messaging lets no sender set these. Of a subscription, the destination is a topic space.
    private static final String PROBLEM_QUEUE = "JMS_IBM_ExceptionProblemDestination";
    private static final String PROBLEM_SUBSCRIPTION = "JMS_IBM_ExceptionProblemSubscription";
    private static final String PROBLEM_TIME = "JMS_IBM_ExceptionTimestamp";
    private static final String PROBLEM = "JMS_IBM_ExceptionMessage";
    private static final String LIBERTYS_CLIENT = "com.ibm.ws.sib.";

    // Artemis overwrites what a sender has set. A subscription has a queue whose name is not that of the address.
    private static final String ARTEMIS_QUEUE = "_AMQ_ORIG_QUEUE";
    private static final String ARTEMIS_ADDRESS = "_AMQ_ORIG_ADDRESS";
    private static final String ARTEMIS_CLIENT = "org.apache.activemq.artemis.";

    private static final String ACTIVEMQ_PROBLEM = "dlqDeliveryFailureCause";

    private LetterMapping() {}

    /**
     * Reads a message.
     *
     * @param queue the broker's name of the queue in which the message is
     * @param name the name of that queue in the configuration
     * @param sentTo returns the queue to which the outbox has sent the message with an id, or null
     */
    static DeadLetter letter(Message message, String queue, String name, boolean withText, UnaryOperator<String> sentTo)
            throws JMSException {
        Map<String, String> properties = EncodedProperties.texts(message);
        String messageId = properties.get("messageId");
        String failedAt = properties.get(PROBLEM_TIME);
        return new DeadLetter(
                message.getJMSMessageID(),
                messageId,
                name,
                origin(
                        message,
                        message.getClass().getName(),
                        queue,
                        () -> messageId == null ? null : sentTo.apply(messageId)),
                message.getJMSType(),
                Envelope.key(properties.get(Envelope.KEY), properties.get("aggregateId")),
                Instant.ofEpochMilli(message.getJMSTimestamp()),
                // Another sender may have set it to anything, and its letter must not hide the others.
                failedAt == null || !failedAt.matches("\\d{1,15}")
                        ? null
                        : Instant.ofEpochMilli(Long.parseLong(failedAt)),
                properties.getOrDefault(PROBLEM, properties.get(ACTIVEMQ_PROBLEM)),
                withText && message instanceof TextMessage text ? text.getText() : null,
                properties);
    }

    /**
     * The queue from which a message came; null if nobody names one, or for a subscription: no sender can reach a single
     * one. Liberty names the queue of dead letters itself once it has rolled a message back there too often.
     *
     * @param client the class of the message, as Artemis calls itself ActiveMQ too. At any other broker, such as ActiveMQ
     *     Classic, a sender could name a queue to which only an operator may send.
     */
    static String origin(Message message, String client, String queue, Supplier<String> sentTo) throws JMSException {
        String named = null;
        boolean isSubscription = false;
        if (client.startsWith(LIBERTYS_CLIENT)) {
            named = EncodedProperties.text(message, PROBLEM_QUEUE);
            isSubscription = EncodedProperties.text(message, PROBLEM_SUBSCRIPTION) != null;
        } else if (client.startsWith(ARTEMIS_CLIENT)) {
            named = EncodedProperties.text(message, ARTEMIS_ADDRESS);
            isSubscription = named != null && !named.equals(EncodedProperties.text(message, ARTEMIS_QUEUE));
        }
        if (isSubscription) {
            return null;
        }
        return named == null || named.equals(queue) ? sentTo.get() : named;
    }

    /** Null for all messages. */
    static String selector(DeadLetterFilter filter) {
        String id = filter.message();
        String selector = Stream.of(
                        equal(id != null && id.startsWith(BROKERS_ID) ? "JMSMessageID" : "messageId", id),
                        equal("JMSType", filter.type()),
                        key(filter.key()))
                .filter(Objects::nonNull)
                .collect(Collectors.joining(" AND "));
        return selector.isEmpty() ? null : selector;
    }

    private static String key(String key) {
        return key == null
                ? null
                : "(%1$s = %2$s OR %1$s IS NULL AND aggregateId = %2$s)".formatted(Envelope.KEY, literal(key));
    }

    private static String equal(String name, String value) {
        return value == null ? null : name + " = " + literal(value);
    }

    static String literal(String text) {
        return "'" + text.replace("'", "''") + "'";
    }
}
