package dev.cdioutbox.tests.consume;

import jakarta.ejb.EJB;
import jakarta.ejb.EJBException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;

import dev.cdioutbox.jms.IdempotentConsumer;

/** Its beans inherit the method and its annotation. */
abstract class LatestOfEachKey implements MessageListener {
    @EJB
    Ledger ledger;

    @Override
    @IdempotentConsumer(value = "latest", ordered = true)
    public void onMessage(Message message) {
        try {
            ledger.book("latest", message.getBody(String.class));
        } catch (JMSException e) {
            throw new EJBException(e);
        }
    }
}
