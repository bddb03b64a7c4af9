package dev.cdioutbox.jms.internal.consume;

import java.util.concurrent.Callable;

import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.consume.IdempotentReceiver;
import dev.cdioutbox.internal.consume.Received;
import dev.cdioutbox.jms.IdempotentConsumer;

/** Lets {@link IdempotentReceiver} handle the message that a consumer gets, or the id of the work. */
@Interceptor
@IdempotentConsumer("")
@Priority(Interceptor.Priority.LIBRARY_BEFORE + 1)
public class IdempotentConsumerInterceptor {
    @Inject
    IdempotentReceiver receiver;

    @Inject
    CausationScope causation;

    @AroundInvoke
    Object consume(InvocationContext call) throws Exception {
        ConsumerMethod consumer = ConsumerMethod.of(call.getTarget().getClass(), call.getMethod());
        if (!consumer.hasMessageId()) {
            return call.proceed();
        }
        // CausationInterceptor handles message-driven beans only; other consumers need this call of CausationScope.
        return once(consumer, call.getParameters()[consumer.parameter()], () -> causation.proceed(call));
    }

    private Object once(ConsumerMethod method, Object argument, Callable<?> work) throws Exception {
        IdempotentConsumer consumer = method.binding();
        if (consumer == null) {
            throw OutboxCode.CONSUMER_REFUSED.exception(
                    method.method().getDeclaringClass().getName(),
                    "the class itself does not have @IdempotentConsumer");
        }
        Received received = received(consumer, argument);
        return receiver.receive(consumer.outbox(), consumer.value(), received, work, method::nothing);
    }

    private Received received(IdempotentConsumer consumer, Object argument) {
        try {
            return ReceivedMapping.received(consumer, argument);
        } catch (OutboxException refusal) {
            receiver.refused(consumer.value(), refusal);
            throw refusal;
        }
    }
}
