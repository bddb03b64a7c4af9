package dev.cdioutbox.jms.internal;

import jakarta.ejb.Asynchronous;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;

/** Runs a lane at once, on one of the container's threads: a wake-up. */
@Stateless
public class LaneRunner {
    @Inject
    DispatchService service;

    /** Returns at once. What fails is logged by the dispatcher and left to the timer. */
    @Asynchronous
    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public void wake(String destination) {
        service.run(destination);
    }

    /** Returns at once; another thread takes part in the lane's run. */
    @Asynchronous
    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public void help(String destination) {
        service.help(destination);
    }
}
