package dev.cdioutbox.sample;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.inject.Inject;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;

import dev.cdioutbox.ReceivedEvent;
import dev.cdioutbox.jms.IdempotentConsumer;
import dev.cdioutbox.jms.ReceivedEvents;

/**
 * The consumer: receives the messages of the outbox and stores them. One container-managed transaction receives the
 * message, records its id, and stores the shipment. The bean does not catch the exception for an unreadable message:
 * the container rolls back, redelivers, and in the end moves the message aside. A bean that only logs an exception
 * loses the message.
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
