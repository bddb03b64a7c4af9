package dev.cdioutbox.tests.capture;

import java.util.concurrent.Future;

import jakarta.annotation.Resource;
import jakarta.ejb.AsyncResult;
import jakarta.ejb.Asynchronous;
import jakarta.ejb.SessionContext;
import jakarta.ejb.Stateless;
import jakarta.ejb.Timeout;
import jakarta.ejb.Timer;
import jakarta.ejb.TimerConfig;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;

/** Runs work in container-managed transactions of each kind. */
@Stateless
public class Ejb {
    @Resource
    SessionContext context;

    public void required(Runnable work) {
        work.run();
    }

    @TransactionAttribute(TransactionAttributeType.REQUIRES_NEW)
    public void requiresNew(Runnable work) {
        work.run();
    }

    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public void notSupported(Runnable work) {
        work.run();
    }

    public void rollBack(Runnable work) {
        work.run();
        context.setRollbackOnly();
    }

    @Asynchronous
    public Future<Void> asynchronous(Runnable work) {
        work.run();
        return new AsyncResult<>(null);
    }

    /** Runs the task in an EJB timer. */
    public void later(Task task) {
        context.getTimerService().createSingleActionTimer(1, new TimerConfig(task.name(), false));
    }

    @Timeout
    void timeout(Timer timer) {
        Task.named((String) timer.getInfo()).work().run();
    }
}
