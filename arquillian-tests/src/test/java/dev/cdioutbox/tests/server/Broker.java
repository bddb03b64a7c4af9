package dev.cdioutbox.tests.server;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.XAConnection;

import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.ActiveMQXAConnectionFactory;
import org.apache.activemq.advisory.AdvisorySupport;
import org.apache.activemq.command.ActiveMQMessage;
import org.apache.activemq.command.ConsumerInfo;

/** An ActiveMQ broker in a process of its own. Its store keeps the messages when the process dies. */
public final class Broker implements AutoCloseable {
    private final Path home;
    private final int port;
    private boolean inProduction;
    private JavaProcess process;

    public Broker(String name) {
        try {
            home = LibertyServer.fresh(name);
            port = LibertyServer.freePort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String url() {
        return "tcp://localhost:" + port;
    }

    /**
     * Writes each commit to the disk, and compiles and collects as a broker that runs for long. Such a broker has no
     * {@link Trap}. Call this before the start.
     */
    public Broker inProduction() {
        inProduction = true;
        return this;
    }

    public Broker start() {
        // The process lives for minutes: C1 and the serial collector cost less, as in jvm.options of the servers.
        List<String> options = inProduction ? List.of() : List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
        process = JavaProcess.start(BrokerMain.class, options, home, port, home.resolve("store"), inProduction);
        return this;
    }

    public void startIfDown() {
        if (!process.isAlive()) {
            start();
        }
    }

    /** kill -9 */
    public void kill() {
        process.kill();
    }

    /** The broker dies at this place in the next transaction that sends to the destination. */
    public void dieAt(Trap.Place place, String destination) {
        set(Trap.Deed.DIE, place, destination);
    }

    /** The broker holds the next transaction that sends to the destination at this place, until {@link #letGo}. */
    public void holdAt(Trap.Place place, String destination) {
        set(Trap.Deed.HOLD, place, destination);
    }

    private void set(Trap.Deed deed, Trap.Place place, String destination) {
        try {
            Trap.set(home, deed, place, destination);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void awaitHeld(Duration atMost) {
        await("the broker holds a transaction").atMost(atMost).until(() -> Trap.isSprung(home));
    }

    /** Call this after the death of the process that sent the held transaction. */
    public void letGo() {
        try {
            Trap.release(home);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void awaitDeath(Duration atMost) {
        await("the broker dies").atMost(atMost).until(() -> !process.isAlive());
        letGo();
    }

    /** The broker accepts connections and requests, and never answers. */
    public void freeze() {
        signal("-STOP");
    }

    public void thaw() {
        signal("-CONT");
    }

    private void signal(String signal) {
        try {
            new ProcessBuilder("kill", signal, String.valueOf(process.pid()))
                    .start()
                    .onExit()
                    .join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Stops the broker in an orderly way. */
    public void stop() {
        process.stop();
    }

    /** The CPU time of the process. */
    public Duration cpu() {
        return CpuTime.of(process.handle());
    }

    /** Removes all messages from a queue and returns them. */
    public List<Message> drain(String queue) {
        // Without prefetch the client asks the broker for each message, and the broker answers when the queue is empty.
        try (Connection connection =
                        new ActiveMQConnectionFactory(url() + "?jms.prefetchPolicy.all=0").createConnection();
                Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
                MessageConsumer consumer = session.createConsumer(session.createQueue(queue))) {
            connection.start();
            List<Message> messages = new ArrayList<>();
            // With a shorter time-out the broker may answer "none" while it still reads messages from its store.
            for (Message m = consumer.receive(1000); m != null; m = consumer.receive(1000)) {
                messages.add(m);
            }
            session.commit();
            return messages;
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Another consumer has taken a message, and has not committed yet, while the work runs. Then it rolls back. */
    public void whileTaken(String queue, String selector, Runnable work) {
        try (Connection connection =
                        new ActiveMQConnectionFactory(url() + "?jms.prefetchPolicy.all=0").createConnection();
                Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
                MessageConsumer consumer = session.createConsumer(session.createQueue(queue), selector)) {
            connection.start();
            if (consumer.receive(10_000) == null) {
                throw new IllegalStateException("There is no such message.");
            }
            work.run();
            session.rollback();
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }

    public void send(String queue, String text) {
        send(queue, 1, text, Map.of());
    }

    /** Sends copies of a message in one transaction, with the properties that a dispatcher would set. */
    public void send(String queue, int copies, String text, Map<String, Object> properties) {
        try (Connection connection = new ActiveMQConnectionFactory(url()).createConnection();
                Session session = connection.createSession(true, Session.SESSION_TRANSACTED)) {
            MessageProducer producer = session.createProducer(session.createQueue(queue));
            for (int copy = 0; copy < copies; copy++) {
                TextMessage message = session.createTextMessage(text);
                for (Map.Entry<String, Object> property : properties.entrySet()) {
                    message.setObjectProperty(property.getKey(), property.getValue());
                }
                producer.send(message);
            }
            session.commit();
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether a queue has no message, not even one that a consumer has received and not acknowledged. */
    public boolean isEmpty(String queue) {
        try (Connection connection = new ActiveMQConnectionFactory(url()).createConnection();
                Session session = connection.createSession();
                QueueBrowser browser = session.createBrowser(session.createQueue(queue))) {
            connection.start();
            return !browser.getEnumeration().hasMoreElements();
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The number of connections that consume from a queue. */
    public int consumers(String queue) {
        try (Connection connection = new ActiveMQConnectionFactory(url()).createConnection();
                Session session = connection.createSession();
                // At the start of this consumer, the broker sends a notice for each consumer of the queue.
                MessageConsumer notices =
                        session.createConsumer(AdvisorySupport.getConsumerAdvisoryTopic(session.createQueue(queue)))) {
            connection.start();
            Set<String> connections = new HashSet<>();
            for (Message m = notices.receive(1000); m != null; m = notices.receive(1000)) {
                if (((ActiveMQMessage) m).getDataStructure() instanceof ConsumerInfo consumer) {
                    connections.add(consumer.getConsumerId().getConnectionId());
                }
            }
            return connections.size();
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The number of prepared transactions that wait for their coordinator. */
    public int inDoubt() {
        try (XAConnection connection = new ActiveMQXAConnectionFactory(url()).createXAConnection()) {
            return prepared(transactions(connection)).size();
        } catch (JMSException | XAException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Rolls back the transactions that stay prepared for a second, as an operator would.
     *
     * @return their number
     */
    public int rollBackInDoubt() {
        try (XAConnection connection = new ActiveMQXAConnectionFactory(url()).createXAConnection()) {
            XAResource transactions = transactions(connection);
            Set<Xid> prepared = new HashSet<>(prepared(transactions));
            Thread.sleep(1000);
            prepared.retainAll(prepared(transactions));
            for (Xid transaction : prepared) {
                transactions.rollback(transaction);
            }
            return prepared.size();
        } catch (JMSException | XAException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static XAResource transactions(XAConnection connection) throws JMSException {
        connection.start();
        return connection.createXASession().getXAResource();
    }

    private static List<Xid> prepared(XAResource transactions) throws XAException {
        return List.of(transactions.recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN));
    }

    @Override
    public void close() {
        if (process != null && process.isAlive()) {
            kill();
        }
    }
}
