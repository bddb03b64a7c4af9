package dev.cdioutbox.jms.internal.consume;

import java.util.Arrays;
import java.util.Optional;

import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import jakarta.jms.Message;

/** Reports the message that a listener handles to the capture, and continues its trace. */
@Interceptor
@Priority(Interceptor.Priority.LIBRARY_BEFORE)
public class CausationInterceptor {
    @Inject
    MessageWork work;

    @AroundInvoke
    Object handle(InvocationContext call) throws Exception {
        Object[] parameters = call.getParameters();
        Optional<Message> message = parameters == null
                ? Optional.empty()
                : Arrays.stream(parameters)
                        .filter(Message.class::isInstance)
                        .map(Message.class::cast)
                        .findFirst();
        return message.isPresent() ? work.on(message.get(), call::proceed) : call.proceed();
    }
}
