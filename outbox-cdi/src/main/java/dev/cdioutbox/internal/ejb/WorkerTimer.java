package dev.cdioutbox.internal.ejb;

import java.io.Serializable;
import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;

import jakarta.ejb.EJBException;
import jakarta.ejb.Timer;
import jakarta.ejb.TimerConfig;
import jakarta.ejb.TimerService;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.dispatch.DestinationWorker;

/**
 * The timers of one worker: one polls it each {@code outbox.dispatcher.interval}, and another calls it once, when a message is
 * due. Applies changes of the destination's configuration. Thread-safe.
 */
final class WorkerTimer {
    private static final Logger LOG = Logger.getLogger(WorkerTimer.class.getName());

    private static final Duration FIRST_POLL = Duration.ofMillis(500);

    private final DestinationWorker worker;
    private final TimerService timers;

    /** Null before the start. */
    private DispatcherConfig inForce;
    /** Null before the start. */
    private Timer poll;
    /** Stays here when it has fired; null before the first one. */
    private Timer due;

    enum Reason {
        POLL,
        DUE
    }

    /** Belongs to a timer, and tells whom it calls, and why. */
    record Call(String outbox, String destination, Reason reason) implements Serializable {}

    WorkerTimer(DestinationWorker worker, TimerService timers) {
        this.worker = worker;
        this.timers = timers;
    }

    synchronized void start() {
        inForce = worker.config();
        poll = pollAfter(FIRST_POLL);
    }

    void call(Reason reason) {
        switch (reason) {
            case POLL -> RetryAtOnce.throwIfFirst(worker.poll(), worker.failures());
            case DUE -> worker.wakeForDue();
        }
    }

    synchronized void applyConfig() {
        DispatcherConfig before = inForce;
        inForce = worker.config();
        logIfChanged("enabled", inForce.enabled(), before.enabled());
        logIfChanged("interval", inForce.interval(), before.interval());
        if (!inForce.interval().equals(before.interval())) {
            Timer replaced = poll;
            poll = pollAfter(inForce.interval());
            replaced.cancel();
        }
    }

    private void logIfChanged(String setting, Object now, Object before) {
        if (!now.equals(before)) {
            LOG.info(OutboxCode.DISPATCHER_CHANGED.text(worker.id(), setting, now.toString(), before.toString()));
        }
    }

    /** Starts a timer in place of the previous one: a second one for the same time would run the worker once more. */
    synchronized void callAfter(Duration delay) {
        Timer previous = due;
        // Rounded up: before its time, the message is not due.
        due = timers.createSingleActionTimer(delay.toMillis() + 1, notPersistent(Reason.DUE));
        try {
            if (previous != null) {
                previous.cancel();
            }
        } catch (IllegalStateException | EJBException fired) {
            LOG.log(Level.FINE, "the previous timer has fired", fired);
        }
    }

    private Timer pollAfter(Duration first) {
        return timers.createIntervalTimer(first.toMillis(), inForce.interval().toMillis(), notPersistent(Reason.POLL));
    }

    private TimerConfig notPersistent(Reason reason) {
        return new TimerConfig(new Call(worker.id().outbox(), worker.id().name(), reason), false);
    }
}
