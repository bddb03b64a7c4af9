package dev.cdioutbox.tests.sample;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.inject.Inject;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;

import dev.cdioutbox.jms.Inbox;

/** Stores each message for {@link StoredWork}. */
@MessageDriven(
        activationConfig =
                @ActivationConfigProperty(propertyName = "destinationLookup", propertyValue = "jms/arrivals"))
public class StoringBean implements MessageListener {
    @Inject
    private Inbox inbox;

    @Override
    public void onMessage(Message message) {
        inbox.accept(message, "arrivals");
    }
}
