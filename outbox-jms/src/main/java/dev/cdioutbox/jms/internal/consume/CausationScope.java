package dev.cdioutbox.jms.internal.consume;

import java.util.logging.Level;
import java.util.logging.Logger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.interceptor.InvocationContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;

import dev.cdioutbox.internal.consume.TransactionCause;
import dev.cdioutbox.internal.transport.CausingMessage;
import dev.cdioutbox.internal.transport.Traces;
import dev.cdioutbox.jms.internal.send.EncodedProperties;
import dev.cdioutbox.jms.internal.send.JmsPublisher;

/** Makes a received message the cause of the events that its consumer fires, and continues its trace. */
@ApplicationScoped
public class CausationScope {
    private static final Logger LOG = Logger.getLogger(CausationScope.class.getName());

    @Inject
    Traces traces;

    @Inject
    TransactionCause transaction;

    /** Has an effect once for each message, even if several methods of a consumer pass the message on. */
    Object proceed(InvocationContext call) throws Exception {
        Object[] parameters = call.getParameters();
        for (Object parameter : parameters == null ? new Object[0] : parameters) {
            if (parameter instanceof Message message) {
                return proceed(message, call);
            }
        }
        return call.proceed();
    }

    private Object proceed(Message message, InvocationContext call) throws Exception {
        CausingMessage cause = new CausingMessage(null, null, null, null, null);
        String target = null;
        try {
            cause = cause(message);
            target = JmsPublisher.name(message.getJMSDestination());
        } catch (JMSException e) {
            // The cause is information; its lack must not stop the consumer's work.
            LOG.log(Level.FINE, "a message has no id or no destination", e);
        }
        if (cause.isHandled()) {
            return call.proceed();
        }
        CausingMessage handled = cause;
        transaction.handles(handled);
        return traces.processing(cause, "jms", target, () -> handled.during(call::proceed));
    }

    static CausingMessage cause(Message message) throws JMSException {
        String id = EncodedProperties.text(message, "messageId");
        return new CausingMessage(
                id == null ? message.getJMSMessageID() : id,
                message.getJMSCorrelationID(),
                EncodedProperties.text(message, "tenantId"),
                EncodedProperties.text(message, "traceparent"),
                EncodedProperties.text(message, "tracestate"),
                // A foreign message may have a property of this name, which means something else.
                id == null ? 0 : CausingMessage.generation(EncodedProperties.text(message, CausingMessage.GENERATION)));
    }
}
