package dev.cdioutbox.tests.inbox;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJBException;
import jakarta.ejb.MessageDriven;
import jakarta.inject.Inject;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;

import dev.cdioutbox.jms.ForeignMessage;
import dev.cdioutbox.jms.Inbox;

/** Stores each message for the handler, on two threads. */
@MessageDriven(
        activationConfig =
                @ActivationConfigProperty(propertyName = "destinationLookup", propertyValue = "jms/arrivals"))
public class ArrivalBean implements MessageListener {
    /** The texts of the messages, in the order in which they were accepted. */
    static final Queue<String> ACCEPTED = new ConcurrentLinkedQueue<>();

    private static final Duration WHILE_THE_OTHER_THREAD_COULD_COMMIT = Duration.ofMillis(20);

    @Inject
    Inbox inbox;

    @Override
    public void onMessage(Message message) {
        try {
            boolean isNew = message.propertyExists("messageId")
                    ? inbox.accept(message, "arrivals")
                    : inbox.accept(
                            message,
                            "arrivals",
                            ForeignMessage.ofType("Arrived").withKey(message.getStringProperty("order")));
            if (isNew) {
                ACCEPTED.add(message.getBody(String.class));
            }
            if (message.getBody(String.class).endsWith("1}")) {
                Thread.sleep(WHILE_THE_OTHER_THREAD_COULD_COMMIT.toMillis());
            }
        } catch (JMSException | InterruptedException e) {
            throw new EJBException(e);
        }
    }
}
