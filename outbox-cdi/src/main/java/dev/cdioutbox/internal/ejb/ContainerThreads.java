package dev.cdioutbox.internal.ejb;

import jakarta.ejb.Asynchronous;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;

/** The container's threads, for the workers and for the application's observers. */
@Stateless
public class ContainerThreads {

    /** Runs work on another thread, outside of any transaction. Returns at once. */
    @Asynchronous
    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public void execute(Runnable work) {
        work.run();
    }
}
