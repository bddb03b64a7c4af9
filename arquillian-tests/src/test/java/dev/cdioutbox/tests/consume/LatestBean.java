package dev.cdioutbox.tests.consume;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJB;
import jakarta.ejb.EJBException;
import jakarta.ejb.MessageDriven;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;

import dev.cdioutbox.jms.IdempotentConsumer;

/** Wants the latest of each key only. */
@MessageDriven(
        activationConfig = @ActivationConfigProperty(propertyName = "destinationLookup", propertyValue = "jms/latest"))
public class LatestBean implements MessageListener {
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
