package dev.cdioutbox.internal.consume;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;

/**
 * The delivery of a message to a consumer. Notifies the listeners of a failure at the end of the transaction: a consumer
 * may also mark it for rollback without an exception, and a commit may fail after the consumer has returned.
 */
final class Delivery implements Synchronization {
    private final String consumer;
    private final ConsumedMessage message;
    private final ConsumerListeners listeners;
    private Throwable cause;

    Delivery(String consumer, ConsumedMessage message, ConsumerListeners listeners) {
        this.consumer = consumer;
        this.message = message;
        this.listeners = listeners;
    }

    void failed(Throwable thrown) {
        cause = thrown;
    }

    @Override
    public void beforeCompletion() {
        // Until the transaction has ended, the outcome is open.
    }

    @Override
    public void afterCompletion(int status) {
        if (status == Status.STATUS_ROLLEDBACK) {
            listeners.tell(listener -> listener.failed(consumer, message, cause));
        }
    }
}
