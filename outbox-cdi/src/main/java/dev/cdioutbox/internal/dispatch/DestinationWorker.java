package dev.cdioutbox.internal.dispatch;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The way to one destination on this node. One thread at a time is in it, or as many as are configured, each with
 * partitions of its own; workers know nothing of each other, so that a send that never returns holds up its own destination
 * only. The threads that are in at a time are one run: it fails if one of them does, and the others then end after their
 * batch. One that hangs is not waited for.
 */
public final class DestinationWorker {
    private final String destination;
    private final String label;
    private final ProbeState probeState = new ProbeState();
    final FullDestinationCount fullDestination = new FullDestinationCount();
    final SingleCommitFallback commitFallback = new SingleCommitFallback();
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
     * Enters, if fewer are in than may be, and none of them has failed.
     *
     * @return null if not
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

    /** Enters a run that is under way. One that is over meanwhile, perhaps since it failed, is not begun anew. */
    synchronized WorkerRun joinRun(int most) {
        threadRequested.set(false);
        return currentRun.threads > 0 ? beginThread(most) : null;
    }

    /**
     * Leaves. With the last one the run is over; what came of it is told before anybody else can enter, and so cannot be taken
     * for that of the next run.
     *
     * @param why what failed, or null
     * @param told gets what failed first in the run, or null
     */
    synchronized void endThread(WorkerRun of, Throwable why, long nanos, Consumer<Throwable> report) {
        of.failed(why, nanos);
        try {
            // Of one that was given up meanwhile only a failure matters, unless that was told then.
            if (of == currentRun ? of.threads == 1 : of.hasUnreportedFailure()) {
                of.report(report);
            }
        } finally {
            // Also if telling it fails.
            of.threads--;
            stalledThreads -= of == currentRun ? 0 : 1;
        }
    }

    /**
     * A run that failed waits for those that are still in it. If they do not come for so long, one of them hangs, and it is over
     * without them: the next one begins with as many threads fewer.
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

    /** Its timer calls. */
    void timerCalled(long nanos) {
        timerCalled = nanos;
    }

    /**
     * Whether somebody has to come in the place of its timer, which has not called for two intervals since its thread is in the
     * worker and hangs. The run is then over for those who are in it: it could not end, and a worker that had failed would never
     * be seen to work again.
     *
     * @param told gets what failed in that run, if nobody was told of it
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

    /** Nobody else sends to this destination, one that hangs included. */
    synchronized boolean isOnlyThread() {
        return currentRun.threads + stalledThreads == 1;
    }

    /** A batch of this run has got through: there is no outage. */
    synchronized void delivered() {
        currentRun.delivered = true;
    }

    /** Whether another thread could do something: there is more than one batch, batches get through, and there is room. */
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
     * Asks for a run. A worker that fails rests until its timer calls.
     *
     * @return true if the caller has to start one; false if one is asked for already or will look again by itself
     */
    public boolean requestRun() {
        return failures == 0 && runRequested.compareAndSet(false, true) && mayStartThread();
    }

    private synchronized boolean mayStartThread() {
        return currentRun.threads + stalledThreads < maxThreads;
    }

    /** Whoever comes next goes on: a ring, also where a failure before would not let it be heard. */
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

    /** Where the messages of this worker go at the moment instead of its destination, or null. */
    String shadow() {
        return shadow;
    }

    void shadow(String now) {
        shadow = now;
    }

    /** Of exactly-once. */
    ProbeState probeState() {
        return probeState;
    }

    /** Whether it was said what its messages get with this configuration. */
    boolean isGuaranteeReported(Object configuration) {
        return configuration.equals(reportedFor);
    }

    void guaranteeReported(Object configuration) {
        reportedFor = configuration;
    }

    /** Whether it is time to look for delayed messages: not in every batch, but often while a backlog is drained. */
    boolean delayedReleaseDue(long nanos, long period) {
        return lastDelayedRelease == Long.MIN_VALUE || nanos - lastDelayedRelease >= period;
    }

    /** @param failure why it failed, or null */
    void delayedReleased(long nanos, boolean more, Exception failure) {
        lastDelayedRelease = more ? Long.MIN_VALUE : nanos;
        delayedReleaseFailure = failure;
    }

    /** Why it failed last, or null. */
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

    /** Whether so much time has gone by since the last line about a failure that another one is due. */
    boolean reportDue(long nanos, long period) {
        if (nanos - lastReport < period) {
            return false;
        }
        lastReport = nanos;
        return true;
    }

    /** @return how many runs had failed before this good one */
    int succeeded(long nanos) {
        int before = failures;
        failures = 0;
        lastEnd = nanos;
        return before;
    }

    /**
     * Whether a run ended so lately that a timer which catches up has nothing to do. After the first failure in a row that
     * is not so: then it is the container's own retry that calls.
     */
    boolean ranRecently(long nanos, long within) {
        return lastEnd != Long.MIN_VALUE && failures != 1 && nanos - lastEnd < within;
    }
}
