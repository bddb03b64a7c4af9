package dev.cdioutbox.jms.internal.notify;

import jakarta.ejb.Asynchronous;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;

/** Calls the application's observers on one of the container's threads, without a transaction. */
@Stateless
public class NotifierThread {

    /** Returns at once; the work runs on another thread. */
    @Asynchronous
    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public void run(Runnable work) {
        work.run();
    }
}
