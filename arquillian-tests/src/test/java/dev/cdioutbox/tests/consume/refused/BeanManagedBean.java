package dev.cdioutbox.tests.consume.refused;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.ejb.TransactionManagement;
import jakarta.ejb.TransactionManagementType;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;

import dev.cdioutbox.jms.IdempotentConsumer;

/** With bean-managed transactions, the server would acknowledge the message apart from the work. */
@IdempotentConsumer("refused")
@TransactionManagement(TransactionManagementType.BEAN)
@MessageDriven(
        activationConfig = @ActivationConfigProperty(propertyName = "destinationLookup", propertyValue = "jms/parcels"))
public class BeanManagedBean implements MessageListener {
    @Override
    public void onMessage(Message message) {
        throw new IllegalStateException("never called");
    }
}
