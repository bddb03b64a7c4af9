package dev.cdioutbox.tests.consume;

import java.io.Serializable;
import java.util.Map;
import javax.naming.InitialContext;
import javax.naming.NamingException;

import jakarta.ejb.EJBException;
import jakarta.ejb.Stateless;
import jakarta.inject.Inject;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import jakarta.jms.Queue;

/** Sends copies of a message with the properties that a dispatcher would set. */
@Stateless
public class Post {
    @Inject
    JMSContext jms;

    public void send(String queue, int copies, String text, Map<String, Object> properties) {
        JMSProducer producer = jms.createProducer().setJMSCorrelationID("correlation " + text);
        properties.forEach(producer::setProperty);
        producer.setProperty("note", text);
        for (int copy = 0; copy < copies; copy++) {
            producer.send(queue(queue), text);
        }
    }

    /** Hands over a message that was never in a queue. */
    public boolean handTo(Handler<? super Message> handler, String text, String id) {
        return handler.handle(message(text, id));
    }

    public Message message(String text, String id) {
        try {
            Message message = jms.createTextMessage(text);
            message.setStringProperty("messageId", id);
            message.setJMSCorrelationID("correlation " + text);
            return message;
        } catch (JMSException e) {
            throw new EJBException(e);
        }
    }

    public Message objectMessage(Serializable object) {
        return jms.createObjectMessage(object);
    }

    /** Receives a message that the container has put aside; null if there is none. */
    public String putAside(String note) {
        return jms.createConsumer(queue("jms/exceptions"), "note = '" + note + "'")
                .receiveBody(String.class, 1000);
    }

    private static Queue queue(String name) {
        try {
            return InitialContext.doLookup(name);
        } catch (NamingException e) {
            throw new EJBException(e);
        }
    }
}
