package dev.cdioutbox.jms.internal;

import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;

import dev.cdioutbox.jms.IdempotentConsumer;

/** Within the transaction that the container or {@code @Transactional} began; and after the message is known as a cause. */
@Interceptor
@IdempotentConsumer("")
@Priority(Interceptor.Priority.LIBRARY_BEFORE + 1)
public class IdempotentConsumerInterceptor {
    @Inject
    Consumption consumption;

    @AroundInvoke
    Object consume(InvocationContext call) throws Exception {
        ConsumerMethod consumer = ConsumerMethod.of(call.getTarget().getClass(), call.getMethod());
        return consumer.tellsAnId()
                ? consumption.once(consumer, call.getParameters()[consumer.parameter()], call::proceed)
                : call.proceed();
    }
}
