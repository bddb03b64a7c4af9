package dev.cdioutbox.tests.crash;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;

import dev.cdioutbox.tests.server.Broker;
import org.apache.activemq.ActiveMQConnectionFactory;

/** Receives all messages of a queue. */
final class JmsArrivals extends Arrivals {
    private final Broker broker;
    private final String queue;

    JmsArrivals(Broker broker, String queue, AccountBook book) {
        super(book);
        this.broker = broker;
        this.queue = queue;
    }

    @Override
    void enter() throws JMSException {
        // With optimized acknowledgement, a restarted broker would redeliver many messages.
        try (Connection connection = new ActiveMQConnectionFactory(broker.url() + "?jms.optimizeAcknowledge=false")
                        .createConnection();
                Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                MessageConsumer consumer = session.createConsumer(session.createQueue(queue))) {
            connection.start();
            while (isOpen()) {
                if (consumer.receive(WAIT_MILLIS) instanceof TextMessage text) {
                    received(text.getJMSMessageID(), text.getText());
                }
            }
        }
    }

    @Override
    boolean isComplete() {
        return broker.inDoubt() == 0 && broker.isEmpty(queue);
    }
}
