package org.example.shop;

import jakarta.ejb.MessageDriven;
import jakarta.inject.Inject;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;

import dev.cdioutbox.jms.IdempotentConsumer;
import dev.cdioutbox.jms.ReceivedEvents;

@IdempotentConsumer("shipping")
@MessageDriven
public class ShippingBean implements MessageListener {

    @PersistenceContext
    private EntityManager entities;

    @Inject
    private ReceivedEvents events;

    @Override
    public void onMessage(Message message) {
        OrderPlaced event = events.read(message).as(OrderPlaced.class, 1);
        entities.find(Order.class, event.orderId()).ship();
    }
}
