package dev.cdioutbox.jms.internal.deadletter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import javax.naming.InitialContext;
import javax.naming.NamingException;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.DeliveryMode;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.deadletter.DeadLetter;
import dev.cdioutbox.internal.deadletter.DeadLetterFilter;
import dev.cdioutbox.internal.deadletter.DeadLetterQueue;
import dev.cdioutbox.internal.deadletter.DeadLetterQueues;
import dev.cdioutbox.jms.internal.send.LocalTransaction;

/** Browses queues of dead letters, and takes messages off them. */
@ApplicationScoped
public class JmsDeadLetterQueues implements DeadLetterQueues {
    /** ActiveMQ sends a message to a new consumer only some time after its first request. */
    private static final long WAIT_MILLIS = Duration.ofSeconds(2).toMillis();

    @Override
    public List<DeadLetter> browse(
            DeadLetterQueue queue, DeadLetterFilter filter, int skip, int limit, UnaryOperator<String> sentTo) {
        return with(queue, Session.AUTO_ACKNOWLEDGE, (session, letters) -> {
            List<DeadLetter> found = new ArrayList<>();
            try (QueueBrowser browser = session.createBrowser(letters, LetterMapping.selector(filter))) {
                Enumeration<?> messages = browser.getEnumeration();
                for (int i = 0; i < skip + limit && messages.hasMoreElements(); i++) {
                    Message message = (Message) messages.nextElement();
                    if (i >= skip) {
                        found.add(LetterMapping.letter(
                                message,
                                letters.getQueueName(),
                                queue.name(),
                                filter.message() != null,
                                id -> queueName(sentTo.apply(id))));
                    }
                }
            }
            return found;
        });
    }

    @Override
    public int count(DeadLetterQueue queue, DeadLetterFilter filter, int most) {
        return with(queue, Session.AUTO_ACKNOWLEDGE, (session, letters) -> {
            int count = 0;
            try (QueueBrowser browser = session.createBrowser(letters, LetterMapping.selector(filter))) {
                Enumeration<?> messages = browser.getEnumeration();
                for (; count < most && messages.hasMoreElements(); count++) {
                    messages.nextElement();
                }
            }
            return count;
        });
    }

    @Override
    public Batch take(DeadLetterQueue queue, List<DeadLetter> letters, boolean sendBack) {
        return with(queue, Session.SESSION_TRANSACTED, (session, from) -> take(session, from, letters, sendBack));
    }

    static Batch take(Session session, Queue from, List<DeadLetter> letters, boolean sendBack) throws JMSException {
        Map<String, MessageProducer> origins = sendBack ? producers(session, letters) : new HashMap<>();
        Map<Boolean, List<DeadLetter>> wanted = letters.stream()
                .collect(Collectors.partitioningBy(
                        letter -> letter.id() != null && (!sendBack || origins.containsKey(letter.origin()))));
        return new Batch(take(session, from, wanted.get(true), origins), wanted.get(false));
    }

    /** A producer for each queue that is there: its lack must be seen before a letter is taken. */
    private static Map<String, MessageProducer> producers(Session session, List<DeadLetter> letters)
            throws JMSException {
        Map<String, MessageProducer> producers = new HashMap<>();
        for (DeadLetter letter : letters) {
            if (letter.origin() != null && !producers.containsKey(letter.origin())) {
                try {
                    producers.put(letter.origin(), session.createProducer(session.createQueue(letter.origin())));
                } catch (InvalidDestinationException gone) {
                    // Its letters stay; DeadLetterOperations says so.
                }
            }
        }
        return producers;
    }

    private static List<DeadLetter> take(
            Session session, Queue from, List<DeadLetter> wanted, Map<String, MessageProducer> origins)
            throws JMSException {
        if (wanted.isEmpty()) {
            return wanted;
        }
        // Copies of a topic's message, of several subscriptions, have one id.
        Map<String, DeadLetter> byId = wanted.stream()
                .collect(Collectors.toMap(DeadLetter::id, Function.identity(), (first, second) -> first));
        String ids = byId.keySet().stream().map(LetterMapping::literal).collect(Collectors.joining(", "));
        List<DeadLetter> taken = new ArrayList<>();
        try (MessageConsumer consumer = session.createConsumer(from, "JMSMessageID IN (" + ids + ")")) {
            while (taken.size() < wanted.size()) {
                Message message = consumer.receive(WAIT_MILLIS);
                if (message == null) {
                    break;
                }
                // The send gives the message a new id.
                DeadLetter letter = byId.get(message.getJMSMessageID());
                MessageProducer origin = origins.get(letter.origin());
                if (origin != null) {
                    // For ever: its time to live may be over, and an operator wants it handled.
                    origin.send(message, DeliveryMode.PERSISTENT, message.getJMSPriority(), 0);
                }
                taken.add(letter);
            }
        }
        return taken;
    }

    private static <T> T with(DeadLetterQueue queue, int mode, Work<T> work) {
        Connection connection = null;
        try {
            connection =
                    lookUp(ConnectionFactory.class, queue.connectionFactory()).createConnection();
            connection.start();
            try (Session session = connection.createSession(mode == Session.SESSION_TRANSACTED, mode)) {
                if (mode == Session.SESSION_TRANSACTED && LocalTransaction.isOf(connection, session)) {
                    throw new JMSException(OutboxCode.JMS_NOT_MANAGED.text(queue.connectionFactory()));
                }
                return work.on(session, lookUp(Queue.class, queue.jndi()));
            }
        } catch (JMSException | NamingException | RuntimeException e) {
            throw OutboxCode.DEAD_LETTERS_UNAVAILABLE.exception(e, queue.label(), FailureReason.of(e), queue.key());
        } finally {
            LocalTransaction.close(connection);
        }
    }

    /** The broker's name of a queue; null if there is none under the JNDI name, or a topic. */
    private static String queueName(String jndi) {
        try {
            return jndi == null ? null : lookUp(Queue.class, jndi).getQueueName();
        } catch (NamingException | ClassCastException | JMSException e) {
            return null;
        }
    }

    private static <T> T lookUp(Class<T> type, String jndi) throws NamingException {
        return type.cast(InitialContext.doLookup(jndi));
    }

    private interface Work<T> {
        T on(Session session, Queue letters) throws JMSException;
    }
}
