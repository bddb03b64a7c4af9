package dev.cdioutbox.jms.internal.consume;

import java.util.logging.Level;
import java.util.logging.Logger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.interceptor.InvocationContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;

import dev.cdioutbox.internal.capture.message.HandledMessage;
import dev.cdioutbox.internal.observe.trace.Traces;
import dev.cdioutbox.internal.observe.trace.Traces.Arrived;
import dev.cdioutbox.jms.internal.send.JmsSender;

/** Makes a received message the cause of the events that its consumer fires, and continues its trace. */
@ApplicationScoped
public class MessageCause {
    private static final Logger LOG = Logger.getLogger(MessageCause.class.getName());

    @Inject
    Traces traces;

    /** Has an effect once for each message, even if several methods of a consumer pass the message on. */
    Object of(InvocationContext call) throws Exception {
        Object[] parameters = call.getParameters();
        for (Object parameter : parameters == null ? new Object[0] : parameters) {
            if (parameter instanceof Message message) {
                return of(message, call);
            }
        }
        return call.proceed();
    }

    private Object of(Message message, InvocationContext call) throws Exception {
        HandledMessage handled = new HandledMessage(null, null, null, null, null);
        String target = null;
        try {
            String id = message.getStringProperty("messageId");
            handled = new HandledMessage(
                    id == null ? message.getJMSMessageID() : id,
                    message.getJMSCorrelationID(),
                    message.getStringProperty("tenantId"),
                    message.getStringProperty("traceparent"),
                    message.getStringProperty("tracestate"));
            target = JmsSender.name(message.getJMSDestination());
        } catch (JMSException e) {
            // The cause is information; its lack must not stop the consumer's work.
            LOG.log(Level.FINE, "a message has no id or no destination", e);
        }
        return handled.isHandled() ? call.proceed() : traced(handled, target, call);
    }

    private Object traced(HandledMessage handled, String target, InvocationContext call) throws Exception {
        Arrived arrived =
                new Arrived(target, handled.id(), handled.correlationId(), handled.traceparent(), handled.tracestate());
        return traces.processing(arrived, () -> handled.during(call::proceed));
    }
}
