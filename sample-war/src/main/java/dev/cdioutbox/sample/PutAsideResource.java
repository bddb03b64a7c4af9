package dev.cdioutbox.sample;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.transaction.Transactional;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;

/** The queue of poison messages: after several failed deliveries, the messaging engine moves a message here. */
@Path("/put-aside")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class PutAsideResource {

    private static final int MOST = 200;
    private static final int BEGINNING = 1000;

    // Named, so that a server.xml may bind it to the connection factory of another broker.
    @Resource(name = "jms/consumed", lookup = "java:comp/DefaultJMSConnectionFactory")
    private ConnectionFactory connections;

    @Resource(name = "jms/exceptions", lookup = "jms/exceptions")
    private Queue exceptions;

    @Inject
    private Event<StockCounted> counted;

    /** Fires an event that the consumer cannot handle, so that there is something to see here and on the console. */
    @POST
    @Transactional
    public StockCounted send() {
        StockCounted event = new StockCounted("Espresso beans", 40, Instant.now());
        counted.fire(event);
        return event;
    }

    /** Browses a page of them, the oldest first, without consuming them. There may be many and large messages. */
    @GET
    public List<PutAside> find(
            @QueryParam("offset") @DefaultValue("0") @Min(0) @Max(10_000) int offset,
            @QueryParam("limit") @DefaultValue("50") @Min(1) @Max(MOST) int limit)
            throws JMSException {
        try (Connection connection = connections.createConnection();
                Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                QueueBrowser browser = session.createBrowser(exceptions)) {
            connection.start();
            List<PutAside> page = new ArrayList<>();
            Enumeration<?> messages = browser.getEnumeration();
            for (int i = 0; i < offset + limit && messages.hasMoreElements(); i++) {
                Message message = (Message) messages.nextElement();
                if (i >= offset) {
                    page.add(putAside(message));
                }
            }
            return page;
        }
    }

    /**
     * Reads the properties, because ReceivedEvents throws for an unreadable message, and such messages are here too.
     */
    private static PutAside putAside(Message message) throws JMSException {
        String id = message.getStringProperty("messageId");
        return new PutAside(
                id == null ? message.getJMSMessageID() : id,
                message.getStringProperty("aggregateId"),
                message.getStringProperty("eventType"),
                message.getStringProperty("schemaVersion"),
                message instanceof TextMessage text ? beginning(text.getText()) : null);
    }

    private static String beginning(String text) {
        return text == null || text.length() <= BEGINNING ? text : text.substring(0, BEGINNING) + "…";
    }
}
