package dev.cdioutbox.jms.internal.send;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionMetaData;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;

import dev.cdioutbox.internal.capture.Outboxes;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig.JmsConfig;
import dev.cdioutbox.internal.observe.trace.Traces;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Publishes to JMS, in the container's current transaction: opens a sender for a destination, sends probes, and
 * describes the broker for the guarantee report.
 */
@ApplicationScoped
public class JmsPublisher implements OutboxPublisher {
    /** The provider name of Liberty's own messaging, which always reports the version 1.0. */
    private static final String LIBERTY = "IBM";

    private final Traces traces;

    private final Outboxes outboxes;

    /** For the client proxy. */
    protected JmsPublisher() {
        this(null, null);
    }

    @Inject
    public JmsPublisher(Outboxes outboxes, Traces traces) {
        this.outboxes = outboxes;
        this.traces = traces;
    }

    @Override
    public Sender open(String destination) throws PublishException {
        DestinationConfig target = destination(destination);
        JmsConfig jms = outboxes.of(destination).config().current().jms();
        return JmsSender.open(destination, target, jms, traces);
    }

    /**
     * Sends a message to a temporary queue without a consumer: a real branch at the real broker, and no message for any
     * consumer. The message expires at once, because Liberty moves messages left in a deleted queue to its exception
     * destination. The message is not persistent: ActiveMQ puts expired persistent messages into its dead-letter queue,
     * and temporary queues of IBM MQ take none.
     */
    @Override
    public void probe(String destination) throws PublishException {
        DestinationConfig target = destination(destination);
        JmsSender.destination(destination, target);
        try (Connection connection =
                        JmsSender.connectionFactory(destination, target).createConnection();
                Session session = JmsSender.session(connection)) {
            TemporaryQueue probeQueue = session.createTemporaryQueue();
            try (MessageProducer producer = session.createProducer(probeQueue)) {
                producer.send(
                        session.createTextMessage("outbox probe"),
                        DeliveryMode.NON_PERSISTENT,
                        Message.DEFAULT_PRIORITY,
                        1);
            }
        } catch (JMSException | RuntimeException e) {
            // Some resource adapters report an unreachable broker by a RuntimeException.
            throw new PublishException(Blame.DESTINATION, Problem.JMS_UNAVAILABLE.text(destination), e);
        }
    }

    @Override
    public String transport(String destination) throws PublishException {
        try (Connection connection = JmsSender.connectionFactory(destination, destination(destination))
                .createConnection()) {
            ConnectionMetaData broker = connection.getMetaData();
            return LIBERTY.equals(broker.getJMSProviderName())
                    ? "Liberty's messaging"
                    : broker.getJMSProviderName() + " " + broker.getProviderVersion();
        } catch (JMSException | RuntimeException e) {
            throw new PublishException(Blame.DESTINATION, Problem.JMS_UNAVAILABLE.text(destination), e);
        }
    }

    private DestinationConfig destination(String destination) throws PublishException {
        DestinationConfig target = outboxes.destination(destination);
        if (target == null) {
            throw new PublishException(
                    Blame.DESTINATION, Problem.JMS_NOT_CONFIGURED.text(destination, destination), null);
        }
        return target;
    }
}
