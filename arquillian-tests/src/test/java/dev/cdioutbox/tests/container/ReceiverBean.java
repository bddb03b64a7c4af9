package dev.cdioutbox.tests.container;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJBException;
import jakarta.ejb.MessageDriven;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;

/** Keeps the received messages for the tests. */
@MessageDriven(
        activationConfig = @ActivationConfigProperty(propertyName = "destinationLookup", propertyValue = "jms/outbox"))
public class ReceiverBean implements MessageListener {
    private static final List<Received> ALL = new CopyOnWriteArrayList<>();

    @Inject
    Event<OrderArrived> arrived;

    static List<Received> of(String key) {
        return ALL.stream().filter(r -> key.equals(key(r))).toList();
    }

    private static String key(Received received) {
        Map<String, Object> properties = received.properties();
        return (String) properties.getOrDefault("messageKey", properties.get("aggregateId"));
    }

    @Override
    public void onMessage(Message message) {
        try {
            Received received = Received.of(message);
            ALL.add(received);
            if (message.getBody(String.class).contains(OrderShipped.REPLY)) {
                arrived.fire(new OrderArrived(key(received)));
            }
        } catch (JMSException e) {
            throw new EJBException(e);
        }
    }
}
