package dev.cdioutbox.tests.bench.app;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import javax.naming.InitialContext;
import javax.naming.NamingException;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;

/** Sends without the outbox: text messages with three properties. */
@ApplicationScoped
public class Sender {
    private final AtomicLong sequence = new AtomicLong();

    @Resource(name = "jms/bench", lookup = "java:comp/DefaultJMSConnectionFactory")
    private ConnectionFactory connections;

    /** Sends in the transaction of the thread; without one, each message is committed by itself. */
    void send(List<? extends BenchEvent> events) throws JMSException, NamingException {
        Queue queue = InitialContext.doLookup(events.get(0).queue());
        try (Connection connection = connections.createConnection();
                Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                MessageProducer producer = session.createProducer(queue)) {
            for (BenchEvent event : events) {
                TextMessage message = session.createTextMessage(event.text());
                long number = sequence.incrementAndGet();
                message.setStringProperty("messageId", new UUID(0, number).toString());
                message.setStringProperty("aggregateId", event.account());
                message.setLongProperty("sequence", number);
                producer.send(message);
            }
        }
    }
}
