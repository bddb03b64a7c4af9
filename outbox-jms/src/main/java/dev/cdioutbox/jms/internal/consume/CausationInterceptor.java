package dev.cdioutbox.jms.internal.consume;

import jakarta.annotation.Priority;
import jakarta.ejb.MessageDriven;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;

import dev.cdioutbox.internal.consume.PausedConsumers;

/**
 * Reports the message that a listener handles to the capture, and continues its trace. Also reports a failure, since no
 * other interceptor knows the message-driven bean.
 */
@Interceptor
@Priority(Interceptor.Priority.LIBRARY_BEFORE)
public class CausationInterceptor {
    @Inject
    CausationScope causation;

    @Inject
    PausedConsumers paused;

    @AroundInvoke
    Object handle(InvocationContext call) throws Exception {
        try {
            return causation.proceed(call);
        } catch (Exception e) {
            paused.deliveryFailed(name(call.getTarget().getClass()));
            throw e;
        }
    }

    private static String name(Class<?> bean) {
        MessageDriven named = bean.getAnnotation(MessageDriven.class);
        return named == null || named.name().isEmpty() ? bean.getSimpleName() : named.name();
    }
}
