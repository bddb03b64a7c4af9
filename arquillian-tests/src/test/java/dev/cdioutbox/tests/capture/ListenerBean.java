package dev.cdioutbox.tests.capture;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJBException;
import jakarta.ejb.MessageDriven;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;

/** Runs the task whose name it receives. */
@MessageDriven(
        activationConfig = @ActivationConfigProperty(propertyName = "destinationLookup", propertyValue = "jms/capture"))
public class ListenerBean implements MessageListener {

    @Override
    public void onMessage(Message message) {
        try {
            Task.named(message.getBody(String.class)).work().run();
        } catch (JMSException e) {
            throw new EJBException(e);
        }
    }
}
