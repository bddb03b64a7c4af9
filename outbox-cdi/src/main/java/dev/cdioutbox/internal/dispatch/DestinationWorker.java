package dev.cdioutbox.internal.dispatch;

import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.ApplicationState;
import dev.cdioutbox.internal.dispatch.crash.CrashRecovery;
import dev.cdioutbox.internal.dispatch.listener.ListenerNotifier;
import dev.cdioutbox.internal.dispatch.upkeep.DelayedMessageRelease;
import dev.cdioutbox.internal.dispatch.worker.WorkerStatus;
import dev.cdioutbox.internal.dispatch.worker.WorkerThreads;
import dev.cdioutbox.internal.store.ClaimLimits;

/**
 * Delivers the due messages of one destination on this node: claim, publish, settle, until nothing is left. Up to
 * {@code outbox.dispatcher.concurrency} threads work at a time, each with its own partitions. Workers share nothing, so
 * that a hanging send delays its own destination only. Thread-safe.
 */
public final class DestinationWorker {
    private static final Logger LOG = Logger.getLogger(DestinationWorker.class.getName());

    private final WorkerStatus status;
    private final WorkerThreads threads;
    private final ApplicationState application;
    private final ListenerNotifier listeners;
    private final ShadowSwitch shadow;
    private final CrashRecovery crashRecovery;
    private final GuaranteeCheck guarantee;
    private final DelayedMessageRelease delayed;
    private final NextBatch nextBatch;

    DestinationWorker(
            WorkerStatus status,
            WorkerThreads threads,
            ApplicationState application,
            ListenerNotifier listeners,
            ShadowSwitch shadow,
            CrashRecovery crashRecovery,
            GuaranteeCheck guarantee,
            DelayedMessageRelease delayed,
            NextBatch nextBatch) {
        this.status = status;
        this.threads = threads;
        this.application = application;
        this.listeners = listeners;
        this.shadow = shadow;
        this.crashRecovery = crashRecovery;
        this.guarantee = guarantee;
        this.delayed = delayed;
        this.nextBatch = nextBatch;
    }

    /** The name of the destination that is unique among all outboxes. */
    public String label() {
        return status.label();
    }

    WorkerThreads threads() {
        return threads;
    }

    /** The number of consecutive failed runs. */
    public int failures() {
        return status.failures();
    }

    /**
     * Requests a run. A worker that is off or fails ignores the request and waits for its timer.
     *
     * @return true if the caller has to call {@link #run} on another thread
     */
    public boolean requestRun() {
        return !application.isStopping()
                && application.config().dispatcher().enabled()
                && status.failures() == 0
                && threads.requestRun();
    }

    /**
     * Runs the worker unless it ran a moment ago or a thread works in it. The worker's timer calls this method.
     *
     * @return null on success; else the failure, which the worker has logged; the messages stay in their queues
     */
    public Throwable poll() {
        long interval = application.config().dispatcher().interval().toNanos();
        long now = System.nanoTime();
        threads.timerCalled(now);
        return status.ranRecently(now, interval / 2) && !threads.isRunRequested() ? null : run();
    }

    /** Runs the worker, and again while further runs are requested. Returns the same as {@link #poll}. */
    public Throwable run() {
        return work(threads.begin(application.concurrency()));
    }

    /** Joins the calling thread to a run in progress, if there is one. Returns the same as {@link #poll}. */
    public Throwable joinRun() {
        return work(threads.join(application.concurrency()));
    }

    /** Replaces a timer whose thread hangs in this worker. Call this often, on a thread that sends nothing. */
    public void checkStalled() {
        if (!application.isStopping()) {
            threads.checkStalled(
                    System.nanoTime(),
                    application.config().dispatcher().interval().toNanos());
        }
    }

    /** @param first null if the calling thread must not work */
    private Throwable work(WorkerThreads.Run first) {
        long begin = System.nanoTime();
        Throwable failure = null;
        WorkerThreads.Run run = first;
        while (run != null) {
            failure = runThread(run, begin);
            boolean again = failure == null && threads.isRunRequested() && !application.isStopping();
            if (again && threads.isTimeSliceOver(begin)) {
                threads.handOver();
                again = false;
            }
            run = again ? threads.begin(application.concurrency()) : null;
        }
        return failure;
    }

    private Throwable runThread(WorkerThreads.Run run, long begin) {
        Throwable failure;
        try {
            threads.runRequestTaken();
            listeners.notifyEach(l -> l.began(label()));
            failure = deliverAll(run, begin);
        } catch (Throwable e) {
            failure = e;
        }
        try {
            threads.end(run, failure, System.nanoTime());
            if (failure != null) {
                Throwable cause = failure;
                listeners.notifyEach(l -> l.runFailed(label(), cause));
            }
            // A failed run counts when its last thread ends. Until then, 0 would say that the destination is well.
            int failures = run.failure() == null ? failures() : Math.max(1, failures());
            listeners.notifyEach(l -> l.ended(label(), failures));
        } catch (Throwable e) {
            failure = failure == null ? e : failure;
        }
        return failure;
    }

    private Throwable deliverAll(WorkerThreads.Run run, long begin) {
        try {
            int idle = 0;
            while (!application.isStopping() && run.failure() == null) {
                // Each batch uses one snapshot of the configuration; the next one sees its changes.
                OutboxConfig now = application.config();
                if (!shadow.applyConfig(now.dispatcher(), System.nanoTime())
                        || !now.dispatcher().enabled()) {
                    return null;
                }
                crashRecovery.prepare(status, now);
                guarantee.check(now, status.failures() > 0 && !threads.hasDelivered());
                delayed.releaseDue();
                // Claim until a claim finds nothing, even after a batch with room left. A wake-up of another node or
                // thread during the batch has found the partition locked, and nothing repeats that wake-up.
                NextBatch.Result result = nextBatch.deliver(now);
                if (result == NextBatch.Result.NO_WORK) {
                    crashRecovery.workerHasCaughtUp(status);
                }
                // Partitions without sendable messages say nothing about the other partitions: visit each of them
                // once.
                idle = result == NextBatch.Result.ALL_WAITING
                        ? idle + ClaimLimits.of(now).partitions()
                        : 0;
                if (result == NextBatch.Result.NO_WORK || idle >= now.store().partitions()) {
                    break;
                }
                if (result != NextBatch.Result.ALL_WAITING && threads.isTimeSliceOver(begin)) {
                    threads.moreWorkLeft();
                    return null;
                }
            }
            return application.isStopping() ? null : delayed.failure();
        } catch (Throwable e) {
            // Errors too: two consecutive failures that reach the container would suspend the timer for minutes.
            if (application.isStopping()) {
                // The application is stopping: missing beans or resources are no failure of the delivery.
                LOG.log(Level.FINE, "a run ended with its application", e);
                return null;
            }
            return e;
        }
    }
}
