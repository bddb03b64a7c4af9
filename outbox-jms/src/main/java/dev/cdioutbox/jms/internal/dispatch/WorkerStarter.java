package dev.cdioutbox.jms.internal.dispatch;

import java.util.logging.Level;
import java.util.logging.Logger;

import jakarta.ejb.Asynchronous;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.enterprise.context.ContextNotActiveException;
import jakarta.inject.Inject;

/** Starts a worker on one of the container's threads. */
@Stateless
public class WorkerStarter {
    private static final Logger LOG = Logger.getLogger(WorkerStarter.class.getName());

    @Inject
    DispatchService service;

    /** Returns at once. The dispatcher logs failures, and the timer retries. */
    @Asynchronous
    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public void wake(String label) {
        try {
            service.worker(label).run();
        } catch (ContextNotActiveException | IllegalStateException e) {
            LOG.log(Level.FINE, "the application ended before its wake-up", e);
        }
    }

    /** Returns at once; another thread joins the worker's run. */
    @Asynchronous
    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public void joinRun(String label) {
        try {
            service.worker(label).joinRun();
        } catch (ContextNotActiveException | IllegalStateException e) {
            LOG.log(Level.FINE, "the application ended before another thread joined a run", e);
        }
    }
}
