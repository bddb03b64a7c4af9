package dev.cdioutbox.tests.crash;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Session;

import org.apache.activemq.ActiveMQConnectionFactory;

/**
 * Wrong on purpose: sends a message half a second later and outside of its transaction, after the settle of its row.
 */
final class LateSends implements Sends.Later {
    private static final long DELAY_MILLIS = 500;

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final String broker = System.getProperty("harness.broker");
    private final String queue = System.getProperty("harness.queue");

    @Override
    public void send(String text) {
        thread.schedule(() -> sendNow(text), DELAY_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void sendNow(String text) {
        try (Connection connection = new ActiveMQConnectionFactory(broker).createConnection();
                Session session = connection.createSession()) {
            session.createProducer(session.createQueue(queue)).send(session.createTextMessage(text));
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }
}
