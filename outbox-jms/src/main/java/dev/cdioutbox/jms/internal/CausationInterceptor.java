package dev.cdioutbox.jms.internal;

import java.util.Arrays;
import java.util.logging.Level;
import java.util.logging.Logger;

import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;

import dev.cdioutbox.internal.capture.HandledMessage;

/** Makes the message that a listener handles known to the capture. */
@Interceptor
@Priority(Interceptor.Priority.LIBRARY_BEFORE)
public class CausationInterceptor {
    private static final Logger LOG = Logger.getLogger(CausationInterceptor.class.getName());

    @AroundInvoke
    Object handle(InvocationContext call) throws Exception {
        Object[] parameters = call.getParameters();
        Message message = parameters == null
                ? null
                : Arrays.stream(parameters)
                        .filter(Message.class::isInstance)
                        .map(Message.class::cast)
                        .findFirst()
                        .orElse(null);
        return message == null ? call.proceed() : handled(message).during(call::proceed);
    }

    static HandledMessage handled(Message message) {
        try {
            String id = message.getStringProperty("messageId");
            return new HandledMessage(
                    id == null ? message.getJMSMessageID() : id,
                    message.getJMSCorrelationID(),
                    message.getStringProperty("tenantId"),
                    message.getStringProperty("traceparent"),
                    message.getStringProperty("tracestate"));
        } catch (JMSException e) {
            // What caused an event is information; the work that the message asks for is more.
            LOG.log(Level.FINE, "a message does not tell its id", e);
            return new HandledMessage(null, null, null, null, null);
        }
    }
}
