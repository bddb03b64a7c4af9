package dev.cdioutbox.tests.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;

import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

/** An Artemis broker in a process of its own. Its store keeps the messages when the process dies. */
public final class ArtemisBroker implements AutoCloseable {
    private final Path home;
    private final int port;
    private JavaProcess process;

    public ArtemisBroker(String name) {
        try {
            home = LibertyServer.fresh(name);
            port = LibertyServer.freePort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return port;
    }

    public ArtemisBroker start() {
        process = JavaProcess.start(
                ArtemisMain.class,
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                home,
                port,
                home.resolve("store"));
        return this;
    }

    /** kill -9 */
    public void kill() {
        process.kill();
    }

    /** Removes all messages from a queue and returns them. */
    public List<Message> drain(String queue) {
        try (ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory("tcp://localhost:" + port);
                Connection connection = factory.createConnection();
                Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
                MessageConsumer consumer = session.createConsumer(session.createQueue(queue))) {
            connection.start();
            List<Message> messages = new ArrayList<>();
            for (Message m = consumer.receive(1000); m != null; m = consumer.receive(1000)) {
                messages.add(m);
            }
            session.commit();
            return messages;
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        if (process != null && process.isAlive()) {
            process.kill();
        }
    }
}
