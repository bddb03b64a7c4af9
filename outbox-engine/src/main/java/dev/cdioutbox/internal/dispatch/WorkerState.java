package dev.cdioutbox.internal.dispatch;

import dev.cdioutbox.internal.dispatch.CycleResult.Found;
import dev.cdioutbox.internal.store.claim.PartitionRange;

/**
 * The threads of one {@link DestinationWorker}, and where they still have to look: an immutable value with a pure
 * transition for each event. The worker keeps the current state under its lock, and carries out each {@link
 * Decision}.
 *
 * <p>A worker owns no threads. One comes from its timer at each poll, and others from the executor when a commit or
 * another thread asks for them. A thread goes through one {@link Cycle} after another, each a claim with its batch, and
 * leaves when nothing is left to look for:
 *
 * <pre>
 *   timer      polled ─┐  is there room, and  yes           ┌─ finished: something is pending ─► another cycle
 *   executor  arrived ─┴─ something pending? ────► cycle ───┼─ finished: nothing is pending ───► leaves
 *                                │ no                       ├─ withdrawn: stopping, or off ────► leaves
 *                                ▼                          └─ failed ─────────────────────────► leaves, and ends the run
 *                             leaves
 * </pre>
 *
 * <p><b>Pending</b> is the range of partitions in which a thread still has to look. A commit adds the partitions of
 * its messages, a finished cycle those in which it may have left something ({@link CycleResult}), and a poll adds all, so
 * that no message waits for longer than until the next poll, or a little longer ({@link IdleLook}). The next cycle takes the
 * whole range. When a thread leaves
 * and something is pending, another one is at work or on its way, except after a failure or a stop.
 *
 * <p><b>A run</b> is the work of threads that overlap in time. It succeeds when the last of them leaves, and fails with
 * the first failure: then the others leave after their current cycle, whatever it has found, so that an outage counts
 * only once. Until a later run has succeeded, commits start no thread, and only the timer's thread works. The next run
 * does not wait for threads of earlier ones, which may hang. They still count as threads, so a worker whose threads
 * all hang sends nothing until one of them returns.
 *
 * <p>A run that hangs is replaced, too, although it may still succeed. If it fails, that is one failure. As
 * long as it hangs, a later run succeeds only if it has delivered a batch: one that has found nothing shows nothing.
 *
 * @param requested whether a thread was asked for and has not come yet
 * @param pending the partitions in which a thread has to look
 * @param after the partition after which the next cycle for all partitions begins
 * @param polledAt the monotonic time of the last poll, in nanoseconds
 */
record WorkerState(boolean requested, Threads threads, PartitionRange pending, long after, long polledAt) {

    /** How many cycles in a row may find only locked partitions. */
    private static final int TRIES_OF_LOCKED = 2;

    static WorkerState idle(long now) {
        return new WorkerState(false, Threads.NONE, PartitionRange.NONE, 0, now);
    }

    /** Whether the destination may still be unavailable, so that it must be probed before the next send. */
    boolean isFailing() {
        return threads.failures() > 0 && !threads.delivered();
    }

    /**
     * What the worker has to do.
     *
     * @param startThread whether to ask the executor for a thread
     * @param cycle the next cycle of the calling thread; null if it has to leave
     */
    record Decision(WorkerState state, boolean startThread, Cycle cycle) {
        private static Decision of(WorkerState state) {
            return new Decision(state, false, null);
        }
    }

    /**
     * A claim with its batch, unless a look has shown that nothing waits.
     *
     * @param thread the number of the calling thread, unique among those at work
     * @param range the partitions to look at
     * @param after the partition after which to begin
     * @param fruitless how many cycles in a row before this one have found nothing that can be sent now
     * @param isPollOfIdle whether only a poll has caused it, while the worker had nothing to do
     */
    record Cycle(int thread, PartitionRange range, long after, int fruitless, boolean isPollOfIdle) {}

    /** Messages were committed in this range. Only a worker whose last run succeeded starts a thread for them. */
    Decision woken(PartitionRange range, int mostThreads) {
        return withPending(pending.and(range)).requesting(mostThreads);
    }

    /** Asks for a thread, unless one is on its way, there is no room for it, or an outage has begun. */
    private Decision requesting(int mostThreads) {
        boolean start = threads.failures() == 0 && !requested && threads.count() < mostThreads;
        return new Decision(withRequested(requested || start), start, null);
    }

    /** The timer's thread has come, to look in all partitions. */
    Decision polled(int mostThreads, long now) {
        boolean isIdle = threads.equals(Threads.NONE) && pending.equals(PartitionRange.NONE);
        return withPending(PartitionRange.ALL).withPolledAt(now).joined(mostThreads, isIdle);
    }

    /**
     * A requested thread has come. It leaves at once if the run has failed since, so that an outage costs no further
     * attempt.
     */
    Decision arrived(int mostThreads) {
        return joined(threads.failures() == 0 ? mostThreads : 0, false);
    }

    /** The executor has no thread. Nothing is lost: the next commit asks again, and the next poll looks everywhere. */
    Decision refused() {
        return Decision.of(withRequested(false));
    }

    /** A poll ends the request as well: the executor may have dropped the thread that was asked for. */
    private Decision joined(int mostThreads, boolean isPollOfIdle) {
        WorkerState come = withRequested(false);
        int thread = threads.next();
        return threads.count() >= mostThreads || pending.equals(PartitionRange.NONE)
                ? Decision.of(come)
                : come.withThreads(threads.joined(thread)).cycle(thread, 0, isPollOfIdle);
    }

    /** The next cycle of the calling thread takes all that is pending. */
    private Decision cycle(int thread, int fruitless, boolean isPollOfIdle) {
        Cycle cycle = new Cycle(thread, pending, after, fruitless, isPollOfIdle);
        return new Decision(withPending(PartitionRange.NONE), false, cycle);
    }

    /**
     * A cycle has claimed a batch, and is about to send it. If batches of this run get through, another thread may
     * send the next one meanwhile, beginning after these partitions.
     *
     * @param last the last partition that the batch serves
     * @param hasMore whether the claim may have left messages behind
     */
    Decision claimed(Cycle cycle, long last, boolean hasMore, int mostThreads) {
        WorkerState sending = beginningAfter(cycle, last);
        return hasMore && threads.delivered() && threads.isOfRun(cycle.thread)
                ? sending.woken(PartitionRange.ALL, mostThreads)
                : Decision.of(sending);
    }

    /**
     * A cycle has ended, and its partitions are free.
     *
     * <table>
     * <caption>The first line that applies</caption>
     * <tr><th>after the cycle</th><th>the thread</th></tr>
     * <tr><td>it has found only locked partitions, and other threads work</td><td>leaves its range to them</td></tr>
     * <tr><td>nothing is pending</td><td>leaves</td></tr>
     * <tr><td>its run is over</td><td>leaves, and another one comes</td></tr>
     * <tr><td>its time slice is over, and the cycle was not fruitless</td><td>leaves, and another one comes</td></tr>
     * <tr><td>anything else</td><td>begins another cycle</td></tr>
     * </table>
     *
     * <p>After too many fruitless cycles in a row, the thread gives its range up, until a wake-up or poll. It does not hand its
     * count over to another thread.
     *
     * @param isSliceOver whether the thread has worked for long enough, so that another one should continue
     * @param rounds the number of claims that visit all partitions
     */
    Decision finished(Cycle cycle, CycleResult result, boolean isSliceOver, int mostThreads, int rounds) {
        if (result.found() == Found.LOCKED && threads.count() > 1) {
            return Decision.of(ended(cycle, result, result.again()).left(cycle, true));
        }
        int fruitless = fruitlessAfter(cycle, result.found());
        boolean givesUp = fruitless >= (result.found() == Found.LOCKED ? TRIES_OF_LOCKED : rounds);
        WorkerState now = ended(cycle, result, givesUp ? PartitionRange.NONE : result.again());
        if (now.pending.equals(PartitionRange.NONE)) {
            return Decision.of(now.left(cycle, true));
        }
        // What is still pending after that has come meanwhile, so the count begins anew.
        int counted = givesUp ? 0 : fruitless;
        boolean goesOn = threads.isOfRun(cycle.thread) && (counted > 0 || !isSliceOver);
        return goesOn
                ? now.cycle(cycle.thread, counted, false)
                : now.left(cycle, true).requesting(mostThreads);
    }

    private static int fruitlessAfter(Cycle cycle, Found found) {
        return switch (found) {
            case LOCKED, WAITING -> cycle.fruitless + 1;
            case NOTHING, MOVED, DELIVERED -> 0;
        };
    }

    /** @param again the partitions in which to look again */
    private WorkerState ended(Cycle cycle, CycleResult result, PartitionRange again) {
        boolean delivers = threads.isOfRun(cycle.thread) && result.found() == Found.DELIVERED;
        return withThreads(delivers ? threads.withDelivery() : threads)
                .withPending(pending.and(again))
                .beginningAfter(cycle, result.after());
    }

    /** The cycle must not begin beside other threads. The last one of them begins it after all. */
    Decision alone(Cycle cycle) {
        return threads.count() > 1 ? withdrawn(cycle) : new Decision(this, false, cycle);
    }

    /** A cycle did not begin: the application stops, the dispatcher is off, or other threads must leave first. */
    Decision withdrawn(Cycle cycle) {
        return Decision.of(withPending(pending.and(cycle.range)).left(cycle, false));
    }

    /**
     * A cycle has failed. One of its messages may be the cause, so the next cycle begins with another partition. If its failure
     * is counted already and no other thread is at work, one comes for what was left to this one.
     *
     * @param after the partition after which the next cycle begins; null without a batch
     */
    Decision failed(Cycle cycle, Long after) {
        WorkerState now = withThreads(threads.failed(cycle.thread)).beginningAfter(cycle, after);
        return now.pending.equals(PartitionRange.NONE) ? Decision.of(now) : now.requesting(1);
    }

    /**
     * Asks for a thread if the timer has not called for two intervals. Then its own thread hangs in this worker, and
     * the container does not call the timer again until it returns.
     *
     * @param interval the timer's interval, in nanoseconds
     */
    Decision checked(long now, long interval, int mostThreads) {
        boolean isStalled = now - polledAt >= 2 * interval && threads.count() < mostThreads;
        if (!isStalled) {
            return Decision.of(this);
        }
        // If this thread does not come or hangs as well, the next one is due in another interval.
        long oneIntervalAgo = now - interval;
        return new Decision(withThreads(threads.replaced()).withPolledAt(oneIntervalAgo), true, null);
    }

    /** @param succeeds whether the run has succeeded if this thread is its last one */
    private WorkerState left(Cycle cycle, boolean succeeds) {
        return withThreads(threads.left(cycle.thread, succeeds));
    }

    /**
     * A cycle for some partitions does not change where the next one for all of them begins.
     *
     * @param partition null to change nothing
     */
    private WorkerState beginningAfter(Cycle cycle, Long partition) {
        return partition == null || !cycle.range.equals(PartitionRange.ALL) ? this : withAfter(partition);
    }

    private WorkerState withThreads(Threads now) {
        return new WorkerState(requested, now, pending, after, polledAt);
    }

    private WorkerState withRequested(boolean value) {
        return new WorkerState(value, threads, pending, after, polledAt);
    }

    private WorkerState withPending(PartitionRange range) {
        return new WorkerState(requested, threads, range, after, polledAt);
    }

    private WorkerState withAfter(long partition) {
        return new WorkerState(requested, threads, pending, partition, polledAt);
    }

    private WorkerState withPolledAt(long nanos) {
        return new WorkerState(requested, threads, pending, after, nanos);
    }
}
