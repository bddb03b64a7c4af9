package dev.cdioutbox.internal.dispatch.worker;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The threads of one destination worker. The threads that work at the same time form one run. A run fails if one of its
 * threads fails; the other threads then end after their batch. The next run does not wait for a hanging thread.
 * Thread-safe.
 */
public final class WorkerThreads {
    /** How long a thread works before another one continues: a server that stops waits for the running ones. */
    public static final Duration TIME_SLICE = Duration.ofSeconds(1);

    private final Consumer<Throwable> report;
    private final AtomicBoolean threadRequested = new AtomicBoolean();
    private final AtomicBoolean runRequested = new AtomicBoolean();
    private Run currentRun = new Run();
    private int maxThreads = 1;
    private int stalledThreads;
    private volatile long timerCalled;

    /** @param report gets the outcome of each run: the first failure, or null */
    public WorkerThreads(Consumer<Throwable> report) {
        this.report = report;
    }

    /**
     * Adds the calling thread to the run, if the limit allows one more and the run has not failed.
     *
     * @param most the number of threads that may work at the same time
     * @return null if the thread must not work
     */
    public synchronized Run begin(int most) {
        threadRequested.set(false);
        maxThreads = most;
        if (currentRun.threads == 0) {
            currentRun = new Run();
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
    public synchronized Run join(int most) {
        threadRequested.set(false);
        return currentRun.threads > 0 ? begin(most) : null;
    }

    /**
     * Removes the calling thread. The last one ends the run and reports its outcome before a new thread can begin: the
     * outcome must not count for the next run.
     *
     * @param why the failure, or null
     */
    public synchronized void end(Run of, Throwable why, long nanos) {
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

    /**
     * Whether to start another thread, since there is work for one: batches succeed, and the limit allows one more. True
     * only once, until that thread has come.
     */
    public boolean wantsThread() {
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
        return runRequested.compareAndSet(false, true) && hasRoom();
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

    /** Records a call of this worker's timer. */
    public void timerCalled(long nanos) {
        timerCalled = nanos;
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
     * Ends runs without their hanging threads. Returns whether the timer has not called for two intervals, because its
     * own thread hangs in this worker: the container never calls that timer again, so the caller has to start a run. If
     * so, this method detaches the current run, which could not end: a worker with a failed run would never recover.
     *
     * @param interval the timer's interval, in nanoseconds
     */
    public synchronized boolean isStalled(long nanos, long interval) {
        detachStalledThreads(nanos, interval);
        if (nanos - timerCalled < 2 * interval || !hasRoom()) {
            return false;
        }
        timerCalled = nanos - interval;
        Run over = detachRun();
        if (over.hasUnreportedFailure()) {
            over.report(report);
        }
        return true;
    }

    private Run detachRun() {
        Run over = currentRun;
        stalledThreads += over.threads;
        currentRun = new Run();
        return over;
    }

    private synchronized boolean hasRoom() {
        return currentRun.threads + stalledThreads < maxThreads;
    }

    /** The threads that work in a worker at the same time. Guarded by the lock of the outer class. */
    public static final class Run {
        private int threads;
        private boolean delivered;
        private long failedAt;
        private boolean reported;
        private volatile Throwable failure;

        /** The first failure, or null. */
        public Throwable failure() {
            return failure;
        }

        private boolean hasUnreportedFailure() {
            return failure != null && !reported;
        }

        private void report(Consumer<Throwable> listener) {
            reported = true;
            listener.accept(failure);
        }

        void failed(Throwable why, long nanos) {
            if (failure == null && why != null) {
                failure = why;
                failedAt = nanos;
            }
        }
    }
}
