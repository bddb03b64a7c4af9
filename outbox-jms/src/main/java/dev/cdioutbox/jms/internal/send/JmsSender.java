package dev.cdioutbox.jms.internal.send;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.naming.InitialContext;
import javax.naming.NamingException;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.Topic;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig.JmsConfig;
import dev.cdioutbox.internal.observe.trace.Traces;
import dev.cdioutbox.internal.observe.trace.Traces.SendSpan;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Sends one batch through one session: sets priority, time to live, persistence and the span of each message. Uses the
 * classic API, because the resource adapter of ActiveMQ has no JMSContext.
 */
public final class JmsSender implements OutboxPublisher.Sender {
    private static final Logger LOG = Logger.getLogger(JmsSender.class.getName());

    private final String destination;
    private final DestinationConfig config;
    private final JmsConfig jms;
    private final Connection connection;
    private final Session session;
    private final MessageProducer producer;
    private String lastBrokerMessageId;
    private final Traces traces;
    private final String target;

    private JmsSender(String destination, DestinationConfig config, JmsConfig jms, Connection connection, Traces traces)
            throws JMSException, PublishException {
        this.destination = destination;
        this.config = config;
        this.jms = jms;
        this.connection = connection;
        this.traces = traces;
        this.session = session(connection);
        Destination queueOrTopic = destination(destination, config);
        this.producer = session.createProducer(queueOrTopic);
        this.target = name(queueOrTopic);
    }

    /**
     * A JTA transaction ignores the arguments, but the resource adapter of ActiveMQ does not support the method without
     * them.
     */
    static Session session(Connection connection) throws JMSException {
        return connection.createSession(true, Session.SESSION_TRANSACTED);
    }

    static JmsSender open(String destination, DestinationConfig config, JmsConfig jms, Traces traces)
            throws PublishException {
        Connection connection = null;
        try {
            connection = connectionFactory(destination, config).createConnection();
            return new JmsSender(destination, config, jms, connection, traces);
        } catch (JMSException | RuntimeException e) {
            close(connection);
            throw new PublishException(Blame.DESTINATION, Problem.JMS_UNAVAILABLE.text(destination), e);
        } catch (PublishException | Error e) {
            close(connection);
            throw e;
        }
    }

    @Override
    public void send(OutboxMessage message) throws PublishException {
        try (SendSpan span = traces.sending(message, target)) {
            try {
                send(message, span);
            } catch (PublishException | RuntimeException e) {
                span.failed(e);
                throw e;
            }
        }
    }

    private void send(OutboxMessage message, SendSpan span) throws PublishException {
        try {
            Message text = MessageMapping.toJms(message, session, config, jms);
            if (!config.external()) {
                // The consumer's span continues the send span, not the span of {@code fire()}.
                for (Map.Entry<String, String> header : span.headers().entrySet()) {
                    text.setStringProperty(header.getKey(), header.getValue());
                }
            }
            producer.send(
                    text,
                    DeliveryMode.PERSISTENT,
                    Objects.requireNonNullElse(message.terms().priority(), Message.DEFAULT_PRIORITY),
                    timeToLive(message.terms(), config).toMillis());
            lastBrokerMessageId = jms.recordMessageId() ? text.getJMSMessageID() : null;
        } catch (JMSException e) {
            throw new PublishException(
                    SendFailureClassifier.blame(e), Problem.JMS_SEND_FAILED.text(message.id(), destination), e);
        }
    }

    @Override
    public String lastBrokerMessageId() {
        return lastBrokerMessageId;
    }

    /** The rest of the message's time to live, limited by the destination's; zero means unlimited. */
    static Duration timeToLive(OutboxMessage.Terms terms, DestinationConfig config) {
        Duration left = terms.timeLeft();
        boolean mostIsSet = config.timeToLive().compareTo(Duration.ZERO) > 0;
        if (left == null || (mostIsSet && config.timeToLive().compareTo(left) < 0)) {
            return config.timeToLive();
        }
        // The broker counts in milliseconds, and reads 0 as unlimited.
        return left.toMillis() > 0 ? left : Duration.ofMillis(1);
    }

    /** Returns the connection handle; the transaction keeps the physical connection until it ends. */
    @Override
    public void close() {
        close(connection);
    }

    private static void close(Connection connection) {
        if (connection != null) {
            try {
                connection.close();
            } catch (JMSException | RuntimeException e) {
                // A rethrow would roll back a good batch, in every attempt.
                LOG.log(Level.FINE, "a JMS connection could not be closed", e);
            }
        }
    }

    static ConnectionFactory connectionFactory(String destination, DestinationConfig config) throws PublishException {
        return lookUp(ConnectionFactory.class, config.connectionFactory(), destination, config);
    }

    static Destination destination(String destination, DestinationConfig config) throws PublishException {
        return lookUp(Destination.class, config.jndi(), destination, config);
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

    private static <T> T lookUp(Class<T> type, String jndi, String destination, DestinationConfig config)
            throws PublishException {
        try {
            return type.cast(InitialContext.doLookup(jndi));
        } catch (NamingException | ClassCastException e) {
            String text = type == Destination.class
                    ? Problem.JMS_DESTINATION_NOT_FOUND.text(destination, config.jndi(), destination)
                    : Problem.JMS_UNAVAILABLE.text(destination);
            throw new PublishException(Blame.DESTINATION, text, e);
        }
    }
}
