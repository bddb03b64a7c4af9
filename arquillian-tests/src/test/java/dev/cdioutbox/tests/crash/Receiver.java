package dev.cdioutbox.tests.crash;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;

import dev.cdioutbox.tests.server.Broker;
import org.apache.activemq.ActiveMQConnectionFactory;

/**
 * A JMS client that receives all messages of a queue and enters them into the account book, and reconnects after an
 * outage.
 */
final class Receiver implements Arrivals {
    private static final long WAIT_MILLIS = 200;

    private final Broker broker;
    private final String queue;
    private final AccountBook book;
    private final Thread thread = new Thread(this::run, "receiver");
    private volatile boolean closed;

    Receiver(Broker broker, String queue, AccountBook book) {
        this.broker = broker;
        this.queue = queue;
        this.book = book;
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        while (!closed) {
            try {
                receive();
            } catch (JMSException brokerIsAway) {
                NodeProcess.pause(WAIT_MILLIS);
            }
        }
    }

    private void receive() throws JMSException {
        // With optimized acknowledgement, a restarted broker would redeliver many messages.
        try (Connection connection = new ActiveMQConnectionFactory(broker.url() + "?jms.optimizeAcknowledge=false")
                        .createConnection();
                Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                MessageConsumer consumer = session.createConsumer(session.createQueue(queue))) {
            connection.start();
            while (!closed) {
                Message message = consumer.receive(WAIT_MILLIS);
                if (message instanceof TextMessage text) {
                    book.received(text.getJMSMessageID(), text.getText(), System.nanoTime());
                }
            }
        }
    }

    @Override
    public boolean isComplete() {
        return broker.inDoubt() == 0 && broker.isEmpty(queue);
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
