package dev.cdioutbox.tests.finalmethod;

import jakarta.ejb.MessageDriven;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;

/** CDI cannot intercept this bean, since it has a final method. */
@MessageDriven
public class FinalBean implements MessageListener {
    @Override
    public void onMessage(Message message) {}

    public final String helper() {
        return "final";
    }
}
