package dev.cdioutbox.internal.dispatch.worker;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.cdioutbox.internal.dispatch.container.Environment;

/**
 * The threads of one destination worker. The threads that work at the same time form one run. A failure of one of them
 * ends the run: the others end after their batch, and their outcome does not count. The next run does not wait for
 * them. A hanging thread still counts as one of the permitted threads. Thread-safe.
 */
public final class WorkerThreads {
    /** How long a thread works before another one continues: a server that stops waits for the running ones. */
    public static final Duration TIME_SLICE = Duration.ofSeconds(1);

    private final Environment environment;
    private final FailureLog log;
    private final AtomicBoolean threadRequested = new AtomicBoolean();
    private final AtomicBoolean runRequested = new AtomicBoolean();
    private Run currentRun = new Run();
    private int maxThreads = 1;
    /** In all runs, hanging threads included. */
    private int activeThreads;

    private volatile int failures;
    private volatile long lastEnd;
    private volatile long lastTimerCall;

    /** @param label the label of the destination */
    public WorkerThreads(String label, Environment environment) {
        this.environment = environment;
        log = new FailureLog(label);
        lastTimerCall = environment.nanoTime();
        // Long ago: no run has ended yet.
        lastEnd = lastTimerCall - Long.MAX_VALUE / 2;
    }

    /**
     * Adds the calling thread to the current run, if the limit allows one more thread.
     *
     * @param most the number of threads that may work at the same time
     * @return null if the thread must not work
     */
    public synchronized Run begin(int most) {
        threadRequested.set(false);
        maxThreads = most;
        if (!hasRoom()) {
            return null;
        }
        if (currentRun.threads == 0) {
            currentRun = new Run();
        }
        activeThreads++;
        currentRun.threads++;
        return currentRun;
    }

    /**
     * Removes the calling thread. The run's first failure counts at once; a success counts when the last thread ends. A
     * new thread begins only afterwards, so that the outcome does not count for the next run.
     *
     * @param failure null on success
     */
    public synchronized void end(Run run, Throwable failure) {
        activeThreads--;
        run.threads--;
        if (failure != null && !run.failed) {
            run.failed = true;
            if (run == currentRun) {
                currentRun = new Run();
            }
            failed(failure);
        } else if (failure == null && run == currentRun && run.threads == 0) {
            succeeded(run);
        }
    }

    private void failed(Throwable failure) {
        failures++;
        lastEnd = environment.nanoTime();
        log.failed(failure, failures, lastEnd);
    }

    /** A run that a disabled dispatcher ended says nothing about the destination. */
    private void succeeded(Run run) {
        if (environment.config().dispatcher().enabled()) {
            int before = failures;
            failures = 0;
            lastEnd = run.claimedAmongAll ? environment.nanoTime() : lastEnd;
            if (before > 0) {
                log.resumed(before);
            }
        }
    }

    /** The number of consecutive failed runs. */
    public int failures() {
        return failures;
    }

    /**
     * Whether a run for all partitions ended so recently that a late timer call has nothing to do. False after the first
     * of several failures: then the call is the container's own retry.
     *
     * @param within in nanoseconds
     */
    public boolean ranRecently(long within) {
        return failures != 1 && environment.nanoTime() - lastEnd < within;
    }

    /**
     * Requests another thread if there is work for it: batches succeed, and the limit allows one more.
     *
     * @return true if the caller has to start the thread; false also while a requested one has not come
     */
    public boolean requestThread() {
        return hasDelivered() && hasRoom() && threadRequested.compareAndSet(false, true);
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
        return activeThreads == 1;
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

    public boolean isRunRequested() {
        return runRequested.get();
    }

    public void takeRunRequest() {
        runRequested.set(false);
    }

    /** Records a call of this worker's timer. */
    public void timerCalled() {
        lastTimerCall = environment.nanoTime();
    }

    /**
     * Whether the timer has not called for two intervals, because its own thread hangs in this worker: the container
     * does not call that timer again, so the caller has to start a run. The next run does not wait for the hanging
     * thread: otherwise it could never succeed, and a failing worker would not recover.
     *
     * @param interval the timer's interval, in nanoseconds
     */
    public synchronized boolean isStalled(long interval) {
        long nanos = environment.nanoTime();
        if (nanos - lastTimerCall < 2 * interval || !hasRoom()) {
            return false;
        }
        lastTimerCall = nanos - interval;
        currentRun = new Run();
        return true;
    }

    private synchronized boolean hasRoom() {
        return activeThreads < maxThreads;
    }

    /** The threads that work in a worker at the same time. Guarded by the lock of the outer class. */
    public static final class Run {
        private int threads;
        private boolean delivered;
        private volatile boolean failed;
        private volatile boolean claimedAmongAll;

        /** Whether one of the threads has failed, so that the others must end. */
        public boolean hasFailed() {
            return failed;
        }

        /** @param amongAll whether the claim looks at all partitions */
        public void claims(boolean amongAll) {
            claimedAmongAll |= amongAll;
        }
    }
}
