package dev.cdioutbox.internal.dispatch.worker;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import dev.cdioutbox.internal.dispatch.container.ContainerThreads;

/**
 * The threads of one destination worker. The threads that work at the same time form one run. A run fails if one of its
 * threads does; the others then end after their batch. A thread that hangs does not keep the next run waiting.
 * Thread-safe.
 */
public final class WorkerThreads {
    private final String label;
    private final ContainerThreads container;
    private final Consumer<Throwable> report;
    private final AtomicBoolean threadRequested = new AtomicBoolean();
    private final AtomicBoolean runRequested = new AtomicBoolean();
    private WorkerRun currentRun = new WorkerRun();
    private int maxThreads = 1;
    private int stalledThreads;
    private volatile long timerCalled = System.nanoTime();

    /**
     * @param label the label of the worker
     * @param report gets the outcome of each run: the first failure, or null
     */
    public WorkerThreads(String label, ContainerThreads container, Consumer<Throwable> report) {
        this.label = label;
        this.container = container;
        this.report = report;
    }

    /**
     * Adds the calling thread to the run, if there is room for one more and the run has not failed.
     *
     * @param most how many threads may work at the same time
     * @return null if the thread must not work
     */
    public synchronized WorkerRun begin(int most) {
        threadRequested.set(false);
        maxThreads = most;
        if (currentRun.threads == 0) {
            currentRun = new WorkerRun();
        }
        if (currentRun.failure() != null || !hasRoom()) {
            return null;
        }
        currentRun.threads++;
        return currentRun;
    }

    /**
     * Adds the calling thread to a run in progress. A run that has ended meanwhile, perhaps with a failure, is not
     * restarted.
     */
    public synchronized WorkerRun join(int most) {
        threadRequested.set(false);
        return currentRun.threads > 0 ? begin(most) : null;
    }

    /**
     * Removes the calling thread. The last one ends the run and reports its outcome before a new thread can begin, so
     * that the outcome is not attributed to the next run.
     *
     * @param why the failure, or null
     */
    public synchronized void end(WorkerRun of, Throwable why, long nanos) {
        of.failed(why, nanos);
        try {
            // A detached run reports only a failure that was not reported when it was detached.
            if (of == currentRun ? of.threads == 1 : of.hasUnreportedFailure()) {
                of.report(report);
            }
        } finally {
            // Even if reporting fails: else the worker would count this thread for ever.
            of.threads--;
            stalledThreads -= of == currentRun ? 0 : 1;
        }
    }

    /** Requests another thread beside this one if it would have work: batches succeed, and a thread is free. */
    public void requestHelp() {
        if (wantsThread()) {
            container.requestJoin(label);
        }
    }

    boolean wantsThread() {
        synchronized (this) {
            if (!currentRun.delivered || currentRun.failure() != null || !hasRoom()) {
                return false;
            }
        }
        return threadRequested.compareAndSet(false, true);
    }

    /** Whether a batch of the current run was delivered. */
    public synchronized boolean hasDelivered() {
        return currentRun.delivered;
    }

    /** A batch of this run was delivered, so there is no outage. */
    public synchronized void delivered() {
        currentRun.delivered = true;
    }

    /** Whether no other thread sends to this destination, hanging threads included. */
    public synchronized boolean isOnlyThread() {
        return currentRun.threads + stalledThreads == 1;
    }

    /**
     * Requests a run.
     *
     * @return true if the caller has to start a thread; false if one was requested already, or the current run will
     *     claim again
     */
    public boolean requestRun() {
        return runRequested.compareAndSet(false, true) && mayStartThread();
    }

    private synchronized boolean mayStartThread() {
        return hasRoom();
    }

    /** Notes that messages are left at the end of a time slice. */
    public void moreWorkLeft() {
        runRequested.set(true);
    }

    public boolean isRunRequested() {
        return runRequested.get();
    }

    public void runRequestTaken() {
        runRequested.set(false);
    }

    /** @param begin when the calling thread began to work, in nanoseconds */
    public boolean isTimeSliceOver(long begin) {
        return container.isTimeSliceOver(begin);
    }

    /** @return whether the time slice is over, and another thread was asked to continue */
    public boolean isHandedOver(long begin) {
        boolean over = isTimeSliceOver(begin);
        if (over) {
            container.requestRun(label);
        }
        return over;
    }

    /** The timer of this worker has called. */
    public void timerCalled(long nanos) {
        timerCalled = nanos;
    }

    /**
     * Ends runs without threads that hang. Starts a new run if the timer's own thread hangs: the container never calls
     * that timer again.
     *
     * @param interval of the timer, in nanoseconds
     */
    public void checkStalled(long nanos, long interval) {
        detachStalledThreads(nanos, interval);
        if (isStalled(nanos, interval)) {
            container.requestRun(label);
        }
    }

    /**
     * A failed run waits for its remaining threads. If they do not end in time, they hang: the run ends without them,
     * and the next one begins with as many threads fewer.
     */
    synchronized void detachStalledThreads(long nanos, long timeout) {
        if (currentRun.threads > 0 && currentRun.failure() != null && nanos - currentRun.failedAt >= timeout) {
            detachRun().report(report);
        }
    }

    /**
     * Whether the timer has not called for two intervals, because its own thread hangs in this worker. The current run
     * is then detached: it could not end, and a worker with a failed run would never recover.
     */
    synchronized boolean isStalled(long nanos, long interval) {
        if (nanos - timerCalled < 2 * interval || !hasRoom()) {
            return false;
        }
        timerCalled = nanos - interval;
        WorkerRun over = detachRun();
        if (over.hasUnreportedFailure()) {
            over.report(report);
        }
        return true;
    }

    private WorkerRun detachRun() {
        WorkerRun over = currentRun;
        stalledThreads += over.threads;
        currentRun = new WorkerRun();
        return over;
    }

    private boolean hasRoom() {
        return currentRun.threads + stalledThreads < maxThreads;
    }
}
