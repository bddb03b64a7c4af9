package dev.cdioutbox.tests.publisher;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;
import javax.naming.InitialContext;
import javax.naming.NamingException;

import jakarta.inject.Inject;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.transaction.UserTransaction;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException.Blame;
import dev.cdioutbox.testing.PublisherContract;
import dev.cdioutbox.tests.container.Deployments;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.extension.ExtendWith;

/** The publisher for JMS keeps the contract of publishers, in transactions of Open Liberty and its messaging. */
@ExtendWith(ArquillianExtension.class)
class JmsPublisherContractIT extends PublisherContract {
    private static final long SOON = 20_000;
    private static final int NO_PRIORITY = 42;

    @Inject
    OutboxPublisher publisher;

    @Inject
    UserTransaction transaction;

    @Inject
    OtherThread otherThread;

    @Deployment
    static WebArchive tests() {
        return Deployments.withTestKit(Deployments.empty(
                        "outbox.dispatcher.enabled=false",
                        "outbox.destinations.contract.jndi=jms/contract",
                        "outbox.destinations.brimful.jndi=jms/brimful"))
                .addPackage(JmsPublisherContractIT.class.getPackage());
    }

    @Override
    protected OutboxPublisher publisher() {
        return publisher;
    }

    @Override
    protected String destination() {
        return "contract";
    }

    @Override
    protected String absentDestination() {
        return "absent";
    }

    /** No provider takes this priority. */
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

    /** Takes one message. */
    @Override
    protected String fullDestination() {
        try (Connection connection = connect();
                Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
            session.createProducer(lookUp(Destination.class, "jms/brimful"))
                    .send(session.createTextMessage("the only one"));
        } catch (JMSException e) {
            // It is full already.
        }
        return "brimful";
    }

    @Override
    protected List<Received> receiveUntil(UUID last) throws Exception {
        List<Received> received = new ArrayList<>();
        try (Connection connection = connect();
                Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                MessageConsumer consumer = session.createConsumer(lookUp(Destination.class, "jms/contract"))) {
            connection.start();
            while (received.isEmpty()
                    || !last.equals(received.get(received.size() - 1).id())) {
                if (!(consumer.receive(SOON) instanceof TextMessage message)) {
                    throw new AssertionError("the message does not come");
                }
                String id = message.getStringProperty("messageId");
                String header = message.getStringProperty("contract");
                received.add(Received.of(
                        id == null ? null : UUID.fromString(id),
                        message.getText(),
                        message.getStringProperty("aggregateId"),
                        header == null ? Map.of() : Map.of("contract", header)));
            }
        }
        return received;
    }

    private static Connection connect() throws JMSException {
        return lookUp(ConnectionFactory.class, "java:comp/DefaultJMSConnectionFactory")
                .createConnection();
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
        transaction.begin();
    }

    @Override
    protected void commit() throws Exception {
        transaction.commit();
    }

    @Override
    protected void rollback() throws Exception {
        transaction.rollback();
    }

    @Override
    protected Executor threads() {
        return otherThread::run;
    }
}
