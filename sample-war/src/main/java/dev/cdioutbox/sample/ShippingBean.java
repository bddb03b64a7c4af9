package dev.cdioutbox.sample;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJBException;
import jakarta.ejb.MessageDriven;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;

/**
 * The other side: receives what the outbox sent and keeps it. The message is taken from the queue and the shipment
 * stored in one container-managed transaction.
 */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "destinationType", propertyValue = "jakarta.jms.Queue"),
            @ActivationConfigProperty(propertyName = "destinationLookup", propertyValue = "jms/outbox")
        })
public class ShippingBean implements MessageListener {

    @PersistenceContext
    private EntityManager entities;

    @Override
    public void onMessage(Message message) {
        try {
            entities.persist(shipmentOf(message));
        } catch (JMSException unreadable) {
            // Thrown and not logged: the container rolls back and delivers again. Whoever only logs loses the message.
            throw new EJBException("Message cannot be read: " + message, unreadable);
        }
    }

    private static Shipment shipmentOf(Message message) throws JMSException {
        return new Shipment(
                message.getStringProperty("messageId"),
                message.getStringProperty("aggregateId"),
                message.getStringProperty("eventType"),
                message.getLongProperty("sequence"),
                message.getBody(String.class));
    }
}
