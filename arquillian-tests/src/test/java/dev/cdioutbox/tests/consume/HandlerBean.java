package dev.cdioutbox.tests.consume;

import jakarta.ejb.EJB;
import jakarta.ejb.EJBException;
import jakarta.ejb.Local;
import jakarta.ejb.Stateless;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.jms.JMSException;
import jakarta.jms.Message;

import dev.cdioutbox.jms.IdempotentConsumer;

/** A session bean behind a generic interface, and a second class with the consumer name "hook". */
@Stateless
@Local(Handler.class)
@IdempotentConsumer("hook")
public class HandlerBean implements Handler<Message> {
    @EJB
    Ledger ledger;

    @Inject
    Event<ParcelArrived> arrived;

    @Override
    public boolean isReady() {
        return true;
    }

    @Override
    public boolean handle(Message message) {
        try {
            String text = message.getBody(String.class);
            ledger.book("hook", text);
            arrived.fire(new ParcelArrived(text));
            return true;
        } catch (JMSException e) {
            throw new EJBException(e);
        }
    }
}
