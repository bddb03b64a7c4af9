package dev.cdioutbox.tests.consume;

import static org.awaitility.Awaitility.await;

import java.time.Duration;

import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.ApplicationException;
import jakarta.ejb.EJB;
import jakarta.ejb.EJBException;
import jakarta.ejb.MessageDriven;
import jakarta.ejb.MessageDrivenContext;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;

import dev.cdioutbox.jms.IdempotentConsumer;

/** Writes a row for each message, several at a time. The first word of the message selects a further action. */
@Noticed
@IdempotentConsumer("parcels")
@MessageDriven(
        activationConfig = @ActivationConfigProperty(propertyName = "destinationLookup", propertyValue = "jms/parcels"))
public class ParcelBean implements MessageListener {
    @EJB
    Ledger ledger;

    @Resource
    MessageDrivenContext context;

    @Inject
    Event<ParcelArrived> arrived;

    @Override
    public void onMessage(Message message) {
        try {
            String text = message.getBody(String.class);
            ledger.book("parcels", text);
            switch (text.split(" ")[0]) {
                case "together" ->
                    await().atMost(Duration.ofMinutes(4)).until(() -> NoticedInterceptor.came(text) >= 3);
                case "twice" -> failUnless(NoticedInterceptor.came(text) > 2);
                case "late" -> failUnless(NoticedInterceptor.came(text) > 5);
                case "never" -> failUnless(false);
                case "excused" -> excuseUnless(NoticedInterceptor.came(text) > 2);
                case "undone" -> undoUnless(NoticedInterceptor.came(text) > 2);
                case "reply" -> arrived.fire(new ParcelArrived(text));
                default -> {}
            }
        } catch (JMSException e) {
            throw new EJBException(e);
        }
    }

    /** Throws an exception that lets the container commit. */
    private static void excuseUnless(boolean good) {
        if (!good) {
            throw new Excuse();
        }
    }

    /** Marks the transaction for rollback, without an exception. */
    private void undoUnless(boolean good) {
        if (!good) {
            context.setRollbackOnly();
        }
    }

    private static void failUnless(boolean good) {
        if (!good) {
            throw new IllegalStateException("the consumer fails, as the test wants it");
        }
    }

    @ApplicationException(rollback = false)
    static final class Excuse extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
