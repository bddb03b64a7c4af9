package dev.cdioutbox.jms.internal.send;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import javax.naming.InitialContext;
import javax.naming.NamingException;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.inject.Named;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.ConnectionMetaData;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.Topic;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.transport.DestinationSettings;
import dev.cdioutbox.internal.transport.Destinations;
import dev.cdioutbox.internal.transport.MessageOptions;
import dev.cdioutbox.internal.transport.Traces;
import dev.cdioutbox.internal.transport.Traces.SendSpan;
import dev.cdioutbox.internal.transport.TransportDestination;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Publishes to JMS, in the container's current transaction: sends a batch through one session, sends probes, and
 * describes the broker for the guarantee report. Uses the classic API, because the resource adapter of ActiveMQ has no
 * JMSContext.
 *
 * <p>Users may bind the resource reference to a connection factory with a commit-priority, which a direct lookup cannot
 * have. The publisher looks the reference up only if a destination names it.
 */
@ApplicationScoped
@Named(JmsPublisher.TRANSPORT)
@Resource(name = "cdioutbox/broker", type = ConnectionFactory.class)
public class JmsPublisher implements OutboxPublisher {
    static final String TRANSPORT = "jms";

    /** JNDI name of a queue of {@code messaging-embedded.xml}. */
    private static final String ROOM = "cdioutbox/room";

    private static final String REGISTRY = "java:comp/TransactionSynchronizationRegistry";

    /**
     * The configurations with which the exactly-once probe has committed. A batch in flight uses these and no newer ones,
     * whose connection factory may not take part in transactions.
     */
    private final Map<DestinationId, TransportDestination> proven = new ConcurrentHashMap<>();

    private final Traces traces;

    /** Not private and not final, because JmsPublisherTest changes the configuration between two sends. */
    Destinations destinations;

    /** For the client proxy. */
    protected JmsPublisher() {
        this(null, null);
    }

    @Inject
    public JmsPublisher(Destinations destinations, Traces traces) {
        this.destinations = destinations;
        this.traces = traces;
    }

    /** For a connection factory that does not, the probe fails. */
    @Override
    public boolean joinsTransactions() {
        return true;
    }

    @Override
    public Sender open(DestinationId destination) throws PublishException {
        DestinationSettings now = destinations.settings(destination);
        if (!now.exactlyOnce()) {
            proven.remove(destination);
        }
        TransportDestination config = proven.getOrDefault(destination, now.destination());
        Connection connection = null;
        try {
            connection = connectionFactory(destination, config).createConnection();
            return new JmsSender(destination, now, config, connection);
        } catch (JMSException | RuntimeException e) {
            LocalTransaction.close(connection);
            throw unavailable(destination, e);
        } catch (PublishException | Error e) {
            LocalTransaction.close(connection);
            throw e;
        }
    }

    /**
     * Sends a message to a temporary queue without a consumer: a real branch at the real broker, and no message for any
     * consumer. The message is not persistent: ActiveMQ puts expired persistent messages into its dead-letter queue, and
     * temporary queues of IBM MQ take none. It expires at once, because Liberty moves messages left in a deleted queue to its
     * exception destination.
     *
     * @throws IllegalStateException OBX-0517 if exactly-once is not possible with this connection factory
     */
    @Override
    public void probe(DestinationId destination) throws PublishException {
        DestinationSettings settings = destinations.settings(destination);
        TransportDestination config = settings.destination();
        queueOrTopic(destination, config);
        TransactionSynchronizationRegistry transaction = registry(destination);
        Object key = List.of(JmsPublisher.class, config.connectionFactory());
        Connection connection = null;
        boolean isSent = true;
        try {
            if (transaction.getResource(key) instanceof OpenProbe earlier) {
                earlier.send();
                return;
            }
            connection = connectionFactory(destination, config).createConnection();
            if (LocalTransaction.isLibertys(connection)) {
                OpenProbe probe = OpenProbe.on(session(connection));
                probe.send();
                // The connection's end deletes the temporary queue. Before the commit, Liberty would then commit the
                // message to the exception destination, and fail if that is full. A batch may probe for each of its
                // messages, so all probes of the transaction share the connection.
                transaction.registerInterposedSynchronization(new Closing(connection));
                connection = null;
                transaction.putResource(key, probe);
            } else {
                isSent = sendProbe(connection, settings.exactlyOnce());
            }
        } catch (JMSException | RuntimeException e) {
            // Some resource adapters report an unreachable broker by a RuntimeException.
            throw unavailable(destination, e);
        } finally {
            LocalTransaction.close(connection);
        }
        if (!isSent) {
            // Not a PublishException, which would mean an outage.
            throw new IllegalStateException(OutboxCode.JMS_NOT_MANAGED.text(config.connectionFactory()));
        }
        transaction.registerInterposedSynchronization(new Proof(proven, destination, config));
    }

    /** @return whether it is sent; not with exactly-once if the session is no branch of the transaction */
    private static boolean sendProbe(Connection connection, boolean exactlyOnce) throws JMSException {
        try (Session session = session(connection)) {
            boolean isLocal = LocalTransaction.isOf(connection, session);
            if (exactlyOnce && (isLocal || !session.getTransacted())) {
                return false;
            }
            OpenProbe.on(session).send();
            if (isLocal) {
                session.commit();
            }
            return true;
        }
    }

    /**
     * Stores a persistent message in a queue of Liberty's own messaging that has no consumer. Temporary queues take no
     * persistent messages, and a full store refuses a message only at the commit, of which Liberty reports no reason.
     */
    @Override
    public void checkRoom(DestinationId destination) throws PublishException {
        DestinationSettings settings = destinations.settings(destination);
        Queue room;
        try {
            room = InitialContext.doLookup(ROOM);
        } catch (NamingException notLiberty) {
            return;
        }
        try (Connection connection =
                connectionFactory(destination, settings.destination()).createConnection()) {
            if (LocalTransaction.isLibertys(connection)) {
                try (Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                        MessageProducer producer = session.createProducer(room)) {
                    BytesMessage message = session.createBytesMessage();
                    message.writeBytes(new byte[settings.largestSend()]);
                    producer.send(message);
                    connection.start();
                    takeBack(session, room);
                }
            }
        } catch (JMSException | RuntimeException e) {
            if (SendFailureClassifier.blame(e) == Blame.DESTINATION_FULL) {
                throw unavailable(destination, e);
            }
            // The probe that follows finds any other reason.
        }
    }

    /** Otherwise the store would fill with these messages, and no restart would empty it. */
    private static void takeBack(Session session, Queue room) throws JMSException {
        try (MessageConsumer consumer = session.createConsumer(room)) {
            Message taken;
            do {
                taken = consumer.receiveNoWait();
            } while (taken != null);
        }
    }

    /** A temporary queue to which probes are sent in the current transaction. */
    private record OpenProbe(Session session, TemporaryQueue queue) {

        static OpenProbe on(Session session) throws JMSException {
            return new OpenProbe(session, session.createTemporaryQueue());
        }

        void send() throws JMSException {
            try (MessageProducer producer = session.createProducer(queue)) {
                producer.send(
                        session.createTextMessage("outbox probe"),
                        DeliveryMode.NON_PERSISTENT,
                        Message.DEFAULT_PRIORITY,
                        1);
            }
        }
    }

    private static TransactionSynchronizationRegistry registry(DestinationId destination) throws PublishException {
        return lookUp(TransactionSynchronizationRegistry.class, REGISTRY, OutboxCode.JMS_UNAVAILABLE.text(destination));
    }

    @Override
    public String describe(DestinationId destination) throws PublishException {
        try (Connection connection = connectionFactory(
                        destination, destinations.settings(destination).destination())
                .createConnection()) {
            ConnectionMetaData broker = connection.getMetaData();
            // Liberty reports the version 1.0 in each release.
            return LocalTransaction.isLibertys(connection)
                    ? "Liberty's messaging"
                    : broker.getJMSProviderName() + " " + broker.getProviderVersion();
        } catch (JMSException | RuntimeException e) {
            throw unavailable(destination, e);
        }
    }

    private static PublishException unavailable(DestinationId destination, Exception cause) {
        return SendFailureClassifier.isStoreFull(cause)
                ? new PublishException(Blame.DESTINATION_FULL, OutboxCode.LIBERTY_STORE_FULL.text(), cause)
                : new PublishException(Blame.DESTINATION, OutboxCode.JMS_UNAVAILABLE.text(destination), cause);
    }

    /**
     * A JTA transaction ignores the arguments, but the resource adapter of ActiveMQ does not support the method without
     * them.
     */
    private static Session session(Connection connection) throws JMSException {
        return connection.createSession(true, Session.SESSION_TRANSACTED);
    }

    private static ConnectionFactory connectionFactory(DestinationId destination, TransportDestination config)
            throws PublishException {
        return lookUp(
                ConnectionFactory.class, config.connectionFactory(), OutboxCode.JMS_UNAVAILABLE.text(destination));
    }

    private Destination queueOrTopic(DestinationId destination, TransportDestination config) throws PublishException {
        String problem = OutboxCode.JMS_DESTINATION_NOT_FOUND.text(
                destination, config.address(), destinations.jndiKey(destination));
        return lookUp(Destination.class, config.address(), problem);
    }

    /** The broker's name of a destination, for traces; null if unknown. */
    public static String name(Destination destination) {
        try {
            if (destination instanceof Queue queue) {
                return queue.getQueueName();
            }
            return destination instanceof Topic topic ? topic.getTopicName() : null;
        } catch (JMSException nameless) {
            return null;
        }
    }

    private static <T> T lookUp(Class<T> type, String jndi, String problem) throws PublishException {
        try {
            return type.cast(InitialContext.doLookup(jndi));
        } catch (NamingException | ClassCastException e) {
            throw new PublishException(Blame.DESTINATION, problem, e);
        }
    }

    /** The rest of the message's time to live, limited by the destination's; zero means unlimited. */
    static Duration timeToLive(OutboxMessage.Terms terms, TransportDestination config) {
        Duration left = terms.timeLeft();
        boolean mostIsSet = config.timeToLive().compareTo(Duration.ZERO) > 0;
        if (left == null || (mostIsSet && config.timeToLive().compareTo(left) < 0)) {
            return config.timeToLive();
        }
        // The broker counts in milliseconds, and reads 0 as unlimited.
        return left.toMillis() > 0 ? left : Duration.ofMillis(1);
    }

    /** Remembers what a probe has proven, once its transaction has committed. */
    private record Proof(
            Map<DestinationId, TransportDestination> proven, DestinationId destination, TransportDestination config)
            implements Synchronization {
        @Override
        public void beforeCompletion() {
            // Only the commit proves it.
        }

        @Override
        public void afterCompletion(int status) {
            if (status == Status.STATUS_COMMITTED) {
                proven.put(destination, config);
            }
        }
    }

    /** Closes a connection at the end of a transaction. */
    private record Closing(Connection connection) implements Synchronization {
        @Override
        public void beforeCompletion() {
            // The connection must live until the end of the transaction.
        }

        @Override
        public void afterCompletion(int status) {
            LocalTransaction.close(connection);
        }
    }

    /** One session: sets priority, time to live, persistence and the span of each message. */
    private final class JmsSender implements Sender {
        private final DestinationId destination;
        private final TransportDestination config;
        private final MessageOptions options;
        private final long limit;
        private final Connection connection;
        private final Session session;
        private final MessageProducer producer;
        private final String target;
        private final boolean isLocal;
        private final Map<Long, String> brokerMessageIds = new HashMap<>();

        JmsSender(
                DestinationId destination, DestinationSettings now, TransportDestination config, Connection connection)
                throws JMSException, PublishException {
            this.destination = destination;
            this.config = config;
            this.connection = connection;
            options = now.options();
            limit = now.messagingLimit();
            session = session(connection);
            isLocal = LocalTransaction.isOf(connection, session);
            if (isLocal && now.exactlyOnce()) {
                // The probe has refused this factory, unless it came into its name since.
                throw new PublishException(
                        Blame.DESTINATION, OutboxCode.JMS_NOT_MANAGED.text(config.connectionFactory()), null);
            }
            Destination queueOrTopic = queueOrTopic(destination, config);
            producer = session.createProducer(queueOrTopic);
            target = name(queueOrTopic);
            if (isLocal) {
                TransactionSynchronizationRegistry transaction = registry(destination);
                transaction.registerInterposedSynchronization(new LocalTransaction(transaction, connection, session));
            }
        }

        @Override
        public void send(OutboxMessage message) throws PublishException {
            try (SendSpan span = traces.sending(message, destination, TRANSPORT, target)) {
                try {
                    send(message, span);
                } catch (PublishException | RuntimeException e) {
                    span.failed(e);
                    throw e;
                }
            }
        }

        private void send(OutboxMessage message, SendSpan span) throws PublishException {
            if (message.body().bytes() > limit) {
                throw new PublishException(
                        Blame.MESSAGE,
                        OutboxCode.LIBERTY_LOG_TOO_SMALL.text(
                                "message " + message.id(), message.body().bytes(), limit),
                        null);
            }
            try {
                Message sent = MessageMapping.toJms(message, session, config, options);
                if (!config.external()) {
                    // The consumer's span continues the send span, not the span of {@code fire()}.
                    for (Map.Entry<String, String> header : span.headers().entrySet()) {
                        sent.setStringProperty(header.getKey(), header.getValue());
                    }
                }
                producer.send(
                        sent,
                        DeliveryMode.PERSISTENT,
                        Objects.requireNonNullElse(message.terms().priority(), Message.DEFAULT_PRIORITY),
                        timeToLive(message.terms(), config).toMillis());
                if (options.recordMessageId()) {
                    brokerMessageIds.put(message.sequence(), sent.getJMSMessageID());
                }
            } catch (JMSException e) {
                String text = SendFailureClassifier.isStoreFull(e)
                        ? OutboxCode.LIBERTY_STORE_FULL.text()
                        : OutboxCode.JMS_SEND_FAILED.text(message.id(), destination);
                throw new PublishException(SendFailureClassifier.blame(e), text, e);
            }
        }

        /** The broker has confirmed each send, or will refuse the commit. */
        @Override
        public Map<OutboxMessage, PublishException> complete() {
            return Map.of();
        }

        @Override
        public String brokerMessageId(OutboxMessage message) {
            return brokerMessageIds.get(message.sequence());
        }

        /**
         * Returns the connection handle; the transaction keeps the physical connection until it ends. A connection that is
         * not managed has no such handle, and stays open until the session is committed.
         */
        @Override
        public void close() {
            if (!isLocal) {
                LocalTransaction.close(connection);
            }
        }
    }
}
