package dev.cdioutbox.jms.internal.dispatch;

import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

import jakarta.ejb.Asynchronous;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.enterprise.context.ContextNotActiveException;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.dispatch.DestinationWorker;

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
        work(label, DestinationWorker::run);
    }

    /** Returns at once; another thread joins the worker's run. */
    @Asynchronous
    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public void joinRun(String label) {
        work(label, DestinationWorker::joinRun);
    }

    private void work(String label, Consumer<DestinationWorker> call) {
        try {
            call.accept(service.worker(label));
        } catch (ContextNotActiveException | IllegalStateException e) {
            LOG.log(Level.FINE, "the application ended before a worker's thread began", e);
        }
    }
}
