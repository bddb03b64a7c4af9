package dev.cdioutbox.internal.ejb;

import jakarta.ejb.Asynchronous;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;

/**
 * The container's threads for what sends to brokers. They may have the identity of the user who has committed, which no broker
 * sees; a timer, as {@link ApplicationThreads} starts it, costs more, and some servers delay it. Thread-safe.
 */
@Stateless
public class SenderThreads {

    /** Runs work on another thread, outside of any transaction. Returns at once. */
    @Asynchronous
    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public void execute(Runnable work) {
        work.run();
    }
}
