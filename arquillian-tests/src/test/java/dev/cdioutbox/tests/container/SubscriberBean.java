package dev.cdioutbox.tests.container;

import java.util.ArrayList;
import java.util.List;

import jakarta.annotation.Resource;
import jakarta.ejb.EJBException;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Topic;

/** Listens to a topic of Liberty's own messaging. */
@Stateless
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class SubscriberBean {
    private static final int SOON = 60_000;

    @Resource(lookup = "java:comp/DefaultJMSConnectionFactory")
    ConnectionFactory connections;

    @Resource(lookup = "jms/announcements")
    Topic topic;

    /**
     * Runs the action and returns the messages that follow: this number, and any further ones that are already there.
     */
    public List<Received> listen(int messages, Runnable what) {
        List<Received> received = new ArrayList<>();
        try (JMSContext context = connections.createContext();
                JMSConsumer consumer = context.createConsumer(topic)) {
            what.run();
            Message message = consumer.receive(SOON);
            while (message != null) {
                received.add(Received.of(message));
                message = received.size() < messages ? consumer.receive(SOON) : consumer.receiveNoWait();
            }
        } catch (JMSException e) {
            throw new EJBException(e);
        }
        return received;
    }
}
