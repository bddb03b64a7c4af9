package dev.cdioutbox.sample;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.inject.Inject;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;

import dev.cdioutbox.jms.IdempotentConsumer;
import dev.cdioutbox.jms.ReceivedEvent;
import dev.cdioutbox.jms.ReceivedEvents;

/**
 * The other side: receives what the outbox sent and keeps it. The message is taken from the queue, noted as handled and the
 * shipment stored in one container-managed transaction. What it cannot read it does not catch: the container rolls back,
 * delivers again, and in the end puts the message aside. A bean that only logs an exception loses the message.
 */
@IdempotentConsumer("shipping")
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "destinationType", propertyValue = "jakarta.jms.Queue"),
            @ActivationConfigProperty(propertyName = "destinationLookup", propertyValue = "jms/outbox")
        })
public class ShippingBean implements MessageListener {

    @PersistenceContext
    private EntityManager entities;

    @Inject
    private ReceivedEvents events;

    @Override
    public void onMessage(Message message) {
        ReceivedEvent event = events.read(message);
        OrderToShip order =
                switch (event.type()) {
                    case "OrderPlaced", "OrderCancelled" -> event.as(event.type(), OrderToShip.class, 1);
                    default -> throw event.unexpected();
                };
        entities.persist(new Shipment(
                event.id(), order.orderId(), event.type(), event.sequence().orElse(0), event.text()));
    }
}
