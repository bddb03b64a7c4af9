package dev.cdioutbox.jms.internal.consume;

import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import jakarta.jms.Message;

import dev.cdioutbox.jms.IdempotentConsumer;

/** Runs inside the transaction that the container or {@code @Transactional} began. */
@Interceptor
@IdempotentConsumer("")
@Priority(Interceptor.Priority.LIBRARY_BEFORE + 1)
public class IdempotentConsumerInterceptor {
    @Inject
    Consumption consumption;

    @Inject
    MessageWork work;

    @AroundInvoke
    Object consume(InvocationContext call) throws Exception {
        ConsumerMethod consumer = ConsumerMethod.of(call.getTarget().getClass(), call.getMethod());
        if (!consumer.hasMessageId()) {
            return call.proceed();
        }
        Object argument = call.getParameters()[consumer.parameter()];
        return consumption.once(consumer, argument, () -> work(call, argument));
    }

    /** {@link CausationInterceptor} handles message-driven beans only; other consumers need this call. */
    private Object work(InvocationContext call, Object argument) throws Exception {
        return argument instanceof Message message ? work.on(message, call::proceed) : call.proceed();
    }
}
