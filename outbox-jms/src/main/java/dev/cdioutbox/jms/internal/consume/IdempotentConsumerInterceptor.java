package dev.cdioutbox.jms.internal.consume;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.observe.ConsumedMessage;
import dev.cdioutbox.internal.observe.ConsumerListener;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.jdbc.JdbcInbox;
import dev.cdioutbox.internal.store.jdbc.JdbcInbox.Order;
import dev.cdioutbox.jms.IdempotentConsumer;

/**
 * Lets each message take effect once: records its id in the transaction that does the work, which the container or
 * {@code @Transactional} began.
 */
@Interceptor
@IdempotentConsumer("")
@Priority(Interceptor.Priority.LIBRARY_BEFORE + 1)
public class IdempotentConsumerInterceptor {
    /** The messages that this thread handles; more than one if a consumer calls another consumer. */
    private static final ThreadLocal<Deque<Handling>> CURRENT = ThreadLocal.withInitial(ArrayDeque::new);

    @Inject
    Outboxes outboxes;

    @Inject
    @Any
    Instance<ConsumerListener> listeners;

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
        OutboxInstance outbox = outboxes.meant(consumer.outbox());
        ReceivedId received = received(consumer, argument);
        String id = received.message().id();
        TransactionSynchronizationRegistry transaction = outboxes.transactions();
        int status = transaction.getTransactionStatus();
        if (status != Status.STATUS_ACTIVE) {
            throw OutboxCode.CONSUMED_OUTSIDE_TRANSACTION.exception(consumer.value(), id, status);
        }
        Handling handling = new Handling(outbox.name(), consumer.value(), id, transaction.getTransactionKey());
        for (Handling outer : CURRENT.get()) {
            // A consumer called another method of itself with its message: that is no duplicate.
            if (outer.equals(handling)) {
                return work.call();
            }
            // The inner transaction would wait for the row lock of the outer one, which waits for the inner call.
            if (outer.isOf(handling)) {
                throw OutboxCode.CONSUMED_IN_OTHER_TRANSACTION.exception(consumer.value(), id);
            }
        }
        Delivery delivery = new Delivery(consumer.value(), received.message(), listeners);
        transaction.registerInterposedSynchronization(delivery);
        if (received.redelivered()) {
            ConsumerExtension.notifyEach(
                    listeners, listener -> listener.redelivered(consumer.value(), received.message()));
        }
        JdbcInbox inbox = outbox.store().inbox();
        try {
            return handle(
                    handling, transaction, () -> begins(consumer, inbox, received) ? work.call() : method.nothing());
        } catch (Throwable e) {
            delivery.failed(e);
            throw e;
        }
    }

    private ReceivedId received(IdempotentConsumer consumer, Object argument) {
        try {
            return ReceivedId.of(consumer, argument);
        } catch (OutboxException refused) {
            ConsumerExtension.notifyEach(
                    listeners,
                    listener -> listener.failed(consumer.value(), new ConsumedMessage(null, null, null), refused));
            throw refused;
        }
    }

    private boolean begins(IdempotentConsumer consumer, JdbcInbox inbox, ReceivedId received) {
        String name = consumer.value();
        if (!inbox.enter(name, received.message().id())) {
            ConsumerExtension.notifyEach(listeners, listener -> listener.skippedDuplicate(name, received.message()));
            return false;
        }
        String key = received.key();
        Order order = key == null ? Order.IN_ORDER : inbox.advance(name, key, received.position());
        if (order == Order.SEQUENCE_BEGAN_AGAIN) {
            throw OutboxCode.SEQUENCE_BEGAN_AGAIN.exception(
                    name, received.message().id(), key, received.position().sequence());
        }
        if (order == Order.FORGOTTEN) {
            throw OutboxCode.KEY_FORGOTTEN.exception(
                    name, key, received.message().id(), received.position().sequence());
        }
        if (order == Order.OVERTAKEN) {
            long sequence = received.position().sequence();
            ConsumerExtension.notifyEach(
                    listeners, listener -> listener.skippedStale(name, received.message(), key, sequence));
        }
        return order == Order.IN_ORDER;
    }

    private static Object handle(Handling handling, TransactionSynchronizationRegistry transaction, Callable<?> work)
            throws Exception {
        CURRENT.get().push(handling);
        try {
            return work.call();
        } catch (Throwable e) {
            // An exception that does not roll back would commit the recorded id with half of the work.
            if (transaction.getTransactionStatus() == Status.STATUS_ACTIVE) {
                transaction.setRollbackOnly();
            }
            throw e;
        } finally {
            CURRENT.get().pop();
            if (CURRENT.get().isEmpty()) {
                CURRENT.remove();
            }
        }
    }

    private record Handling(String outbox, String consumer, String id, Object transaction) {

        boolean isOf(Handling other) {
            return outbox.equals(other.outbox) && consumer.equals(other.consumer) && id.equals(other.id);
        }
    }
}
