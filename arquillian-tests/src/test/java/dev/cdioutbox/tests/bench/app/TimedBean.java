package dev.cdioutbox.tests.bench.app;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJBException;
import jakarta.ejb.MessageDriven;
import jakarta.inject.Inject;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;

/** The consumer of all ways of sending. */
@MessageDriven(
        activationConfig = @ActivationConfigProperty(propertyName = "destinationLookup", propertyValue = "jms/timed"))
public class TimedBean implements MessageListener {
    @Inject
    private Latencies latencies;

    @Override
    public void onMessage(Message message) {
        try {
            latencies.arrived(message.getStringProperty("aggregateId"), message.getBody(String.class));
        } catch (JMSException e) {
            throw new EJBException(e);
        }
    }
}
