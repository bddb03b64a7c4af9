package dev.cdioutbox.jms.internal;

import java.util.Arrays;
import java.util.logging.Level;
import java.util.logging.Logger;

import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;

import dev.cdioutbox.internal.capture.HandledMessage;
import dev.cdioutbox.internal.observe.trace.Spans.Arrived;
import dev.cdioutbox.internal.observe.trace.Traces;

/** Makes the message that a listener handles known to the capture, and goes on with its trace. */
@Interceptor
@Priority(Interceptor.Priority.LIBRARY_BEFORE)
public class CausationInterceptor {
    private static final Logger LOG = Logger.getLogger(CausationInterceptor.class.getName());

    @Inject
    Traces traces;

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
        if (message == null) {
            return call.proceed();
        }
        HandledMessage handled = handled(message);
        Arrived arrived = new Arrived(
                target(message), handled.id(), handled.correlationId(), handled.traceparent(), handled.tracestate());
        return traces.processing(arrived, () -> handled.during(call::proceed));
    }

    private static String target(Message message) {
        try {
            return JmsResources.name(message.getJMSDestination());
        } catch (JMSException e) {
            LOG.log(Level.FINE, "a message does not tell its destination", e);
            return null;
        }
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
