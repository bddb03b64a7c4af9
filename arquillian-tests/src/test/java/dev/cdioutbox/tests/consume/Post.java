package dev.cdioutbox.tests.consume;

import java.util.Map;
import javax.naming.InitialContext;
import javax.naming.NamingException;

import jakarta.ejb.EJBException;
import jakarta.ejb.Stateless;
import jakarta.inject.Inject;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSProducer;
import jakarta.jms.Queue;

/** Sends what a dispatcher would send, as often as it is told. */
@Stateless
public class Post {
    @Inject
    JMSContext jms;

    public void send(String queue, int copies, String text, Map<String, Object> properties) {
        JMSProducer producer = jms.createProducer();
        properties.forEach(producer::setProperty);
        producer.setProperty("note", text);
        for (int copy = 0; copy < copies; copy++) {
            producer.send(queue(queue), text);
        }
    }

    /** Takes a message that the container has put aside, or null. */
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
