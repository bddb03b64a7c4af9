package dev.cdioutbox.sample;

import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

import dev.cdioutbox.jms.ReceivedEvent;
import dev.cdioutbox.jms.ReceivedEvents;

/** Where poison messages end: after so many deliveries the container takes them out of the consumer's way. */
@Path("/put-aside")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class PutAsideResource {

    @Resource(lookup = "java:comp/DefaultJMSConnectionFactory")
    private ConnectionFactory connections;

    @Resource(lookup = "jms/exceptions")
    private Queue exceptions;

    @Inject
    private ReceivedEvents events;

    /** Looks at them and leaves them where they are. */
    @GET
    public List<PutAside> find() throws JMSException {
        try (Connection connection = connections.createConnection();
                Session session = connection.createSession();
                QueueBrowser browser = session.createBrowser(exceptions)) {
            connection.start();
            return Collections.list((Enumeration<?>) browser.getEnumeration()).stream()
                    .map(message -> putAside((Message) message))
                    .toList();
        }
    }

    private PutAside putAside(Message message) {
        ReceivedEvent event = events.read(message);
        return new PutAside(event.id(), event.key(), event.type(), event.version(), event.text());
    }
}
