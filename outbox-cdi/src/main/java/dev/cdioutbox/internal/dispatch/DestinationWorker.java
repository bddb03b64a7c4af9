package dev.cdioutbox.internal.dispatch;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Delivers to one destination on this node. One thread at a time works in it, or as many as are configured, each with
 * its own partitions. Workers share nothing, so that a hanging send delays its own destination only.
 *
 * <p>The threads that work at the same time form one run. A run fails if one of its threads does; the others then end
 * after their batch. A thread that hangs does not keep the next run waiting.
 */
public final class DestinationWorker {
    private final String destination;
    private final String label;
    private final ProbeState probeState = new ProbeState();
    private final AtomicBoolean threadRequested = new AtomicBoolean();
    private final AtomicBoolean runRequested = new AtomicBoolean();
    private WorkerRun currentRun = new WorkerRun();
    private int maxThreads = 1;
    private int stalledThreads;
    private volatile int lastPartition;
    private volatile String shadow;
    private volatile Object reportedFor;
    private volatile int failures;
    private volatile long failingSince;
    private volatile long lastReport;
    private volatile long timerCalled = System.nanoTime();
    private volatile long lastEnd = Long.MIN_VALUE;
    private volatile long lastDelayedRelease = Long.MIN_VALUE;
    private volatile Exception delayedReleaseFailure;

    public DestinationWorker(String destination) {
        this(destination, destination);
    }

    /**
     * @param label what the destination is called where those of several outboxes meet
     */
    public DestinationWorker(String destination, String label) {
        this.destination = destination;
        this.label = label;
    }

    public String label() {
        return label;
    }

    public String destination() {
        return destination;
    }

    /**
     * Adds the calling thread to the run, if there is room for one more and the run has not failed.
     *
     * @return null if the thread must not work
     */
    synchronized WorkerRun beginThread(int most) {
        threadRequested.set(false);
        maxThreads = most;
        if (currentRun.threads == 0) {
            currentRun = new WorkerRun();
        }
        if (currentRun.failure() != null || currentRun.threads + stalledThreads >= most) {
            return null;
        }
        currentRun.threads++;
        return currentRun;
    }

    /**
     * Adds the calling thread to a run in progress. A run that has ended meanwhile, perhaps with a failure, is not
     * restarted.
     */
    synchronized WorkerRun joinRun(int most) {
        threadRequested.set(false);
        return currentRun.threads > 0 ? beginThread(most) : null;
    }

    /**
     * Removes the calling thread. The last one ends the run and reports its outcome before a new thread can begin, so
     * that the outcome is not attributed to the next run.
     *
     * @param why the failure, or null
     * @param report gets the first failure of the run, or null
     */
    synchronized void endThread(WorkerRun of, Throwable why, long nanos, Consumer<Throwable> report) {
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

    /**
     * A failed run waits for its remaining threads. If they do not end in time, they hang: the run ends without them,
     * and the next one begins with as many threads fewer.
     */
    synchronized void detachStalledThreads(long nanos, long timeout, Consumer<Throwable> report) {
        if (currentRun.threads > 0 && currentRun.failure() != null && nanos - currentRun.failedAt >= timeout) {
            detachRun().report(report);
        }
    }

    private WorkerRun detachRun() {
        WorkerRun over = currentRun;
        stalledThreads += over.threads;
        currentRun = new WorkerRun();
        return over;
    }

    /** The timer of this worker has called. */
    void timerCalled(long nanos) {
        timerCalled = nanos;
    }

    /**
     * Whether the timer has not called for two intervals, because its own thread hangs in this worker. The current run
     * is then detached: it could not end, and a worker with a failed run would never recover.
     *
     * @param report gets the failure of that run if it was not reported yet
     */
    synchronized boolean isStalled(long nanos, long interval, Consumer<Throwable> report) {
        if (nanos - timerCalled < 2 * interval || currentRun.threads + stalledThreads >= maxThreads) {
            return false;
        }
        timerCalled = nanos - interval;
        WorkerRun over = detachRun();
        if (over.hasUnreportedFailure()) {
            over.report(report);
        }
        return true;
    }

    /** Whether no other thread sends to this destination, hanging threads included. */
    synchronized boolean isOnlyThread() {
        return currentRun.threads + stalledThreads == 1;
    }

    /** A batch of this run was delivered, so there is no outage. */
    synchronized void delivered() {
        currentRun.delivered = true;
    }

    /** Whether the last run failed, and the current one has delivered no batch yet. */
    synchronized boolean isFailing() {
        return failures > 0 && !currentRun.delivered;
    }

    /** Whether another thread would have work: batches succeed, there is more than one, and a thread is free. */
    boolean wantsThread() {
        synchronized (this) {
            if (!currentRun.delivered
                    || currentRun.failure() != null
                    || currentRun.threads + stalledThreads >= maxThreads) {
                return false;
            }
        }
        return threadRequested.compareAndSet(false, true);
    }

    /**
     * Requests a run. A worker that fails ignores the request and waits for its timer.
     *
     * @return true if the caller has to start a thread; false if one was requested already, or the current run will
     *     claim again
     */
    public boolean requestRun() {
        return failures == 0 && runRequested.compareAndSet(false, true) && mayStartThread();
    }

    private synchronized boolean mayStartThread() {
        return currentRun.threads + stalledThreads < maxThreads;
    }

    /** The time slice is over and messages are left: requests a run, even if the last one failed. */
    void moreWorkLeft() {
        runRequested.set(true);
    }

    boolean isRunRequested() {
        return runRequested.get();
    }

    void runRequestTaken() {
        runRequested.set(false);
    }

    int lastPartition() {
        return lastPartition;
    }

    void partitionServed(int queue) {
        lastPartition = queue;
    }

    /** The destination to which this worker sends at the moment instead of its own, or null. */
    String shadow() {
        return shadow;
    }

    void shadow(String now) {
        shadow = now;
    }

    /** The state of the exactly-once probe. */
    ProbeState probeState() {
        return probeState;
    }

    /** Whether the guarantee of this configuration was reported. */
    boolean isGuaranteeReported(Object configuration) {
        return configuration.equals(reportedFor);
    }

    void guaranteeReported(Object configuration) {
        reportedFor = configuration;
    }

    /** Whether delayed messages should be released now: not before every batch, but often during a long backlog. */
    boolean delayedReleaseDue(long nanos, long period) {
        return lastDelayedRelease == Long.MIN_VALUE || nanos - lastDelayedRelease >= period;
    }

    /** @param failure why the release failed, or null */
    void delayedReleased(long nanos, boolean more, Exception failure) {
        lastDelayedRelease = more ? Long.MIN_VALUE : nanos;
        delayedReleaseFailure = failure;
    }

    /** Why the last release of delayed messages failed, or null. */
    Exception delayedReleaseFailure() {
        return delayedReleaseFailure;
    }

    /** How many runs in a row have failed. */
    public int failures() {
        return failures;
    }

    void failed(long nanos) {
        if (failures == 0) {
            failingSince = nanos;
            lastReport = nanos;
        }
        failures++;
        lastEnd = nanos;
    }

    long failingFor(long nanos) {
        return nanos - failingSince;
    }

    /** Whether the last line about a failure is so long ago that another one is due. */
    boolean reportDue(long nanos, long period) {
        if (nanos - lastReport < period) {
            return false;
        }
        lastReport = nanos;
        return true;
    }

    /** @return how many runs had failed before this successful one */
    int succeeded(long nanos) {
        int before = failures;
        failures = 0;
        lastEnd = nanos;
        return before;
    }

    /**
     * Whether a run ended so recently that a late timer call has nothing to do. After the first failure in a row the
     * answer is no: the call is then the container's own retry.
     */
    boolean ranRecently(long nanos, long within) {
        return lastEnd != Long.MIN_VALUE && failures != 1 && nanos - lastEnd < within;
    }
}
