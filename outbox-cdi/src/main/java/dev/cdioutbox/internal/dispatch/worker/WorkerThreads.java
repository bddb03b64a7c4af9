package dev.cdioutbox.internal.dispatch.worker;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import dev.cdioutbox.internal.dispatch.container.ContainerThreads;

/**
 * The threads of one destination worker. The threads that work at the same time form one run. A run fails if one of its
 * threads fails; the other threads then end after their batch. The next run does not wait for a hanging thread.
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
     * Adds the calling thread to the run, if the limit allows one more and the run has not failed.
     *
     * @param most the number of threads that may work at the same time
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
     * Removes the calling thread. The last one ends the run and reports its outcome before a new thread can begin: the
     * outcome must not count for the next run.
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
            // Even after a failed report: otherwise the worker would count this thread for ever.
            of.threads--;
            stalledThreads -= of == currentRun ? 0 : 1;
        }
    }

    /** Requests another thread if there is work for one: batches succeed, and the limit allows one more. */
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
     * @return true if the caller has to start a thread; false if a run was requested already, or the current run will
     *     claim again
     */
    public boolean requestRun() {
        return runRequested.compareAndSet(false, true) && mayStartThread();
    }

    private synchronized boolean mayStartThread() {
        return hasRoom();
    }

    /** Records that messages are left at the end of a time slice. */
    public void moreWorkLeft() {
        runRequested.set(true);
    }

    public boolean isRunRequested() {
        return runRequested.get();
    }

    public void runRequestTaken() {
        runRequested.set(false);
    }

    /** @param begin the start of the calling thread's work, in nanoseconds */
    public boolean isTimeSliceOver(long begin) {
        return container.isTimeSliceOver(begin);
    }

    /** @return true if the time slice is over, and another thread was requested */
    public boolean isHandedOver(long begin) {
        boolean over = isTimeSliceOver(begin);
        if (over) {
            container.requestRun(label);
        }
        return over;
    }

    /** Records a call of this worker's timer. */
    public void timerCalled(long nanos) {
        timerCalled = nanos;
    }

    /**
     * Ends runs without their hanging threads. Starts a new run if the timer's own thread hangs: the container never
     * calls that timer again.
     *
     * @param interval the timer's interval, in nanoseconds
     */
    public void checkStalled(long nanos, long interval) {
        detachStalledThreads(nanos, interval);
        if (isStalled(nanos, interval)) {
            container.requestRun(label);
        }
    }

    /**
     * A failed run waits for its remaining threads. If they do not end in time, they count as hanging: the run ends
     * without them, and the next run has that many threads fewer.
     */
    synchronized void detachStalledThreads(long nanos, long timeout) {
        if (currentRun.threads > 0 && currentRun.failure() != null && nanos - currentRun.failedAt >= timeout) {
            detachRun().report(report);
        }
    }

    /**
     * Whether the timer has not called for two intervals, because its own thread hangs in this worker. If so, detaches
     * the current run, which could not end: a worker with a failed run would never recover.
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
