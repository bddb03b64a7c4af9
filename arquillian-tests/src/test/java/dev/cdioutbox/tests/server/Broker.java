package dev.cdioutbox.tests.server;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
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

/** An ActiveMQ broker in a process of its own, whose messages outlive it. */
public final class Broker implements AutoCloseable {
    private static final Duration START = Duration.ofMinutes(1);

    private final Path home;
    private final int port;
    private Process process;

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

    public Broker start() {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                // As in jvm.options of the servers: it does not live long.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                BrokerMain.class.getName(),
                String.valueOf(port),
                home.resolve("store").toString());
        builder.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        home.resolve("console.log").toFile()));
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        await("the broker at " + url() + ", log " + home.resolve("console.log"))
                .atMost(START)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> process.isAlive() && accepts());
        return this;
    }

    public void startIfDown() {
        if (!process.isAlive()) {
            start();
        }
    }

    /** kill -9 */
    public void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** It dies at this place in the next transaction that sends there. */
    public void dieAt(Trap.Place place, String destination) {
        set(Trap.Deed.DIE, place, destination);
    }

    /** It holds the next transaction that sends there at this place, until it is told to let go. */
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

    /** Whoever waited for what was held is dead. */
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

    /** It takes connections and what is sent, and never answers. */
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

    /** An orderly stop. */
    public void stop() {
        process.destroy();
        process.onExit().join();
    }

    /** Takes all messages from a queue; who comes after it finds none of them. */
    public List<Message> drain(String queue) {
        // Nothing is sent ahead, so that the broker is asked for each message, and says when there is no more.
        try (Connection connection =
                        new ActiveMQConnectionFactory(url() + "?jms.prefetchPolicy.all=0").createConnection();
                Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
                MessageConsumer consumer = session.createConsumer(session.createQueue(queue))) {
            connection.start();
            List<Message> messages = new ArrayList<>();
            // A broker that is asked without patience says that there is none while it reads on from its store.
            for (Message m = consumer.receive(1000); m != null; m = consumer.receive(1000)) {
                messages.add(m);
            }
            session.commit();
            return messages;
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }

    public void send(String queue, String text) {
        send(queue, 1, text, Map.of());
    }

    /** Sends what a dispatcher would send, as often as it is told. */
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

    /** Whether nothing is in a queue, and nothing that a consumer has not acknowledged yet. */
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

    /** How many transactions are prepared and wait for their coordinator. */
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

    private boolean accepts() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    @Override
    public void close() {
        if (process != null && process.isAlive()) {
            kill();
        }
    }
}
