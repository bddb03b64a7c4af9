package dev.cdioutbox.tests.publisher;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;
import javax.naming.InitialContext;
import javax.naming.NamingException;

import jakarta.enterprise.inject.spi.CDI;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.transaction.UserTransaction;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException.Blame;
import dev.cdioutbox.testing.PublisherContract;

/** The publisher for JMS in an application on Open Liberty, with the broker of the subclass. */
abstract class JmsPublisherContract extends PublisherContract {
    private static final long SOON = 20_000;
    private static final int NO_PRIORITY = 42;
    private static final int AT_A_TIME = 100;

    private final String connectionFactory;

    /** @param connectionFactory the JNDI name */
    JmsPublisherContract(String connectionFactory) {
        this.connectionFactory = connectionFactory;
    }

    @Override
    protected OutboxPublisher publisher() {
        return CDI.current().select(OutboxPublisher.class).get();
    }

    @Override
    protected DestinationId destination() {
        return DestinationId.ofDefaultOutbox("contract");
    }

    @Override
    protected DestinationId absentDestination() {
        return DestinationId.ofDefaultOutbox("absent");
    }

    /** JMS does not allow this priority. */
    @Override
    protected OutboxMessage refused(OutboxMessage message) {
        return new StoredMessage(
                message.sequence(),
                message.id(),
                message.event(),
                message.body(),
                message.context(),
                new StoredMessage.Terms(null, null, null, NO_PRIORITY),
                message.delivery(),
                message.occurredAt(),
                message.createdAt());
    }

    /** JMS has no exception for it. */
    @Override
    protected Blame blameOfRefused() {
        return Blame.UNKNOWN;
    }

    /** Sends messages to a queue until it takes no more. */
    void fill(String jndi) {
        try (Connection connection = connect()) {
            while (true) {
                begin();
                try (Session session = connection.createSession(true, Session.SESSION_TRANSACTED)) {
                    session.createProducer(lookUp(Destination.class, jndi))
                            .send(session.createTextMessage("x".repeat(1000)));
                } catch (JMSException full) {
                    rollback();
                    return;
                }
                commit();
            }
        } catch (Exception full) {
            // The broker refused the commit.
        }
    }

    @Override
    protected List<Received> receiveUntil(UUID last) throws Exception {
        List<Received> received = new ArrayList<>();
        while (received.isEmpty()
                || !last.equals(received.get(received.size() - 1).id())) {
            receiveSome(last, received);
        }
        return received;
    }

    /** In a transaction: Artemis acknowledges nothing outside of one. In a small one: ActiveMQ waits after 200 messages. */
    private void receiveSome(UUID last, List<Received> received) throws Exception {
        begin();
        try (Connection connection = connect();
                Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
                MessageConsumer consumer = session.createConsumer(lookUp(Destination.class, "jms/contract"))) {
            connection.start();
            for (int some = 0; some < AT_A_TIME; some++) {
                Message message = consumer.receive(SOON);
                if (message == null) {
                    throw new AssertionError("the message does not come");
                }
                received.add(received(message));
                if (last.equals(received.get(received.size() - 1).id())) {
                    return;
                }
            }
        } finally {
            commit();
        }
    }

    private static Received received(Message message) throws JMSException {
        String id = message.getStringProperty("messageId");
        String header = message.getStringProperty("contract");
        return Received.of(
                id == null ? null : UUID.fromString(id),
                message instanceof BytesMessage
                        ? OutboxPayload.binary(message.getBody(byte[].class))
                        : OutboxPayload.text(message.getBody(String.class)),
                message.getStringProperty("aggregateId"),
                header == null ? Map.of() : Map.of("contract", header));
    }

    private Connection connect() throws JMSException {
        return lookUp(ConnectionFactory.class, connectionFactory).createConnection();
    }

    private static UserTransaction transaction() {
        return lookUp(UserTransaction.class, "java:comp/UserTransaction");
    }

    private static <T> T lookUp(Class<T> type, String jndi) {
        try {
            return type.cast(InitialContext.doLookup(jndi));
        } catch (NamingException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    protected void begin() throws Exception {
        transaction().begin();
    }

    @Override
    protected void commit() throws Exception {
        transaction().commit();
    }

    @Override
    protected void rollback() throws Exception {
        transaction().rollback();
    }

    @Override
    protected Executor threads() {
        return CDI.current().select(OtherThread.class).get()::run;
    }
}
