package dev.cdioutbox.internal.dispatch;

import dev.cdioutbox.internal.store.claim.Claim.PartitionRange;

/**
 * The threads of one {@link DestinationWorker}, and where they still have to look: an immutable value with a pure
 * transition for each event. The worker keeps the current state under its lock, and carries out each {@link
 * Decision}.
 *
 * <p>A worker owns no threads. One comes from its timer at each poll, and others from the executor when a commit or
 * another thread asks for them. A thread takes one {@link Turn} after another, each a claim with its batch, and
 * leaves when nothing is left to look for:
 *
 * <pre>
 *   timer      polled ─┐                          ┌─ finished: something is pending
 *   executor  arrived ─┴──► (heard? room?) ──► turn
 *                                │ no             ├─ finished: nothing is pending ─► leaves; the last one: success
 *                                ▼                ├─ withdrawn: stopping, or off ──► leaves
 *                             leaves              └─ failed ───────────────────────► leaves; a new run
 * </pre>
 *
 * <p><b>Pending</b> is the range of partitions in which a thread still has to look. A commit adds the partitions of
 * its messages, a finished turn those in which it may have left something ({@link Outcome}), and a poll adds all, so
 * that no message waits for longer than until the next poll. The next turn takes the whole range. A thread leaves
 * while something is pending only if another one is at work or was asked for, or after a failure or a stop.
 *
 * <p><b>A run</b> is the work of threads that overlap in time. It ends when the last of them leaves, or with the
 * first failure: then the others leave after their current turn, whatever it has found, so that an outage counts only
 * once. Until a later run has succeeded, commits start no thread, and only the timer's thread works. A new run does
 * not wait for threads of earlier ones, which may hang. They still count as threads, so a worker whose threads all
 * hang sends nothing until one of them returns.
 *
 * @param threads the number of threads at work, in all runs
 * @param requested whether a thread was asked for and has not come yet
 * @param run the number of the current run
 * @param runThreads the number of threads at work in the current run
 * @param delivered whether the current run has delivered a batch, so that there is no outage
 * @param failures the number of consecutive failed runs
 * @param pending the partitions in which a thread has to look
 * @param after the partition after which the next turn for all partitions begins
 * @param polledAt the monotonic time of the last poll, in nanoseconds
 */
record WorkerState(
        int threads,
        boolean requested,
        int run,
        int runThreads,
        boolean delivered,
        int failures,
        PartitionRange pending,
        int after,
        long polledAt) {

    /** How many turns in a row may find only locked partitions while no other thread of the run works. */
    private static final int TRIES_OF_LOCKED = 2;

    static WorkerState idle(long now) {
        return new WorkerState(0, false, 0, 0, false, 0, PartitionRange.NONE, 0, now);
    }

    /**
     * What the worker has to do.
     *
     * @param startThread whether to ask the executor for a thread
     * @param turn the next turn of the calling thread; null if it has to leave
     */
    record Decision(WorkerState next, boolean startThread, Turn turn) {}

    /**
     * A claim with its batch.
     *
     * @param run the run of the thread
     * @param range the partitions to look at
     * @param after the partition after which to begin
     * @param fruitless how many turns in a row before this one have found nothing that can be sent now
     */
    record Turn(int run, PartitionRange range, int after, int fruitless) {}

    /** What a turn has found. */
    enum Found {
        /** No partition of the range has messages. */
        NOTHING,
        /** Messages wait in partitions that other threads of this node, which is alone, have locked. */
        LOCKED,
        /** The claimed partitions have messages, but none that can be sent now. Others may have some. */
        WAITING,
        /** Nothing was sent, but messages were moved, so that the next claim may find some to send. */
        MOVED,
        /** The batch is delivered. */
        DELIVERED;

        /** After how many such turns in a row a thread stops looking. */
        private int tries(int rounds) {
            return switch (this) {
                case LOCKED -> TRIES_OF_LOCKED;
                case WAITING -> rounds;
                case NOTHING, MOVED, DELIVERED -> Integer.MAX_VALUE;
            };
        }
    }

    /** Messages were committed in this range. Only a worker whose last run succeeded starts a thread for them. */
    Decision woken(PartitionRange range, int mostThreads) {
        boolean start = failures == 0 && !requested && threads < mostThreads;
        return new Decision(pending(pending.and(range)).requested(requested || start), start, null);
    }

    /** The timer's thread has come, to look in all partitions. */
    Decision polled(int mostThreads, long now) {
        return polledAt(now).pending(PartitionRange.ALL).joined(mostThreads);
    }

    /**
     * A requested thread has come. It leaves at once if the run has failed since, so that an outage costs no further
     * attempt.
     */
    Decision arrived(int mostThreads) {
        return joined(failures == 0 ? mostThreads : 0);
    }

    private Decision joined(int mostThreads) {
        WorkerState here = requested(false);
        if (threads >= mostThreads || pending.equals(PartitionRange.NONE)) {
            return new Decision(here, false, null);
        }
        return here.threads(threads + 1, runThreads + 1)
                .delivered(delivered && runThreads > 0)
                .takePending(0);
    }

    private Decision takePending(int fruitless) {
        return new Decision(pending(PartitionRange.NONE), false, new Turn(run, pending, after, fruitless));
    }

    /**
     * A turn has claimed a batch, and is about to send it. If batches of this run get through, another thread may
     * send the next one meanwhile, beginning after these partitions.
     *
     * @param last the last partition that the batch serves
     * @param hasMore whether the claim may have left messages behind
     */
    Decision claimed(Turn turn, int last, boolean hasMore, int mostThreads) {
        WorkerState sending = next(turn, last);
        return hasMore && delivered && turn.run == run
                ? sending.woken(PartitionRange.ALL, mostThreads)
                : new Decision(sending, false, null);
    }

    /**
     * What a turn has found, and where messages may still wait:
     *
     * <table>
     * <caption>Where a turn leaves something to look for</caption>
     * <tr><th>the turn</th><th>partitions</th></tr>
     * <tr><td>ended at a limit, left a message unsettled, found a row locked, or met a due blocked key</td><td>all</td></tr>
     * <tr><td>moved delayed messages</td><td>all</td></tr>
     * <tr><td>left nothing, but other nodes dispatch too, or it has leased its partitions: a wake-up may have found them
     *     taken, and nothing repeats it</td><td>those that it has released</td></tr>
     * <tr><td>left nothing, on a node that is alone, but other threads hold partitions with messages</td>
     *     <td>its range</td></tr>
     * <tr><td>left nothing, on a node that is alone</td><td>none</td></tr>
     * </table>
     *
     * @param left these partitions
     * @param next the partition after which the next turn for all partitions begins; null if as at {@link #claimed}
     */
    record Outcome(Found found, PartitionRange left, Integer next) {

        /** The same, after messages were moved to their partitions. */
        Outcome afterMove() {
            return new Outcome(found == Found.DELIVERED ? found : Found.MOVED, PartitionRange.ALL, next);
        }
    }

    /**
     * A turn has ended, and its partitions are free.
     *
     * @param isOver whether the thread has worked for long enough, so that another one should continue
     * @param rounds the number of claims that visit all partitions
     */
    Decision finished(Turn turn, Outcome outcome, boolean isOver, int mostThreads, int rounds) {
        // The other thread takes the range after it has released the partitions.
        boolean leavesToOther = outcome.found == Found.LOCKED && runThreads > 1;
        int tries = outcome.found.tries(rounds);
        int fruitless = tries == Integer.MAX_VALUE ? 0 : turn.fruitless + 1;
        boolean givesUp = !leavesToOther && fruitless >= tries;
        WorkerState now = next(turn, outcome.next).pending(givesUp ? pending : pending.and(outcome.left));
        if (turn.run != run) {
            return now.left(turn).continued(mostThreads);
        }
        now = now.delivered(delivered || outcome.found == Found.DELIVERED);
        return leavesToOther
                ? new Decision(now.left(turn), false, null)
                : now.goOn(turn, givesUp ? 0 : fruitless, isOver && fruitless == 0, mostThreads);
    }

    /** @param isReplaced whether another thread continues with what is pending */
    private Decision goOn(Turn turn, int fruitless, boolean isReplaced, int mostThreads) {
        if (pending.equals(PartitionRange.NONE)) {
            return new Decision(left(turn), false, null);
        }
        return isReplaced ? left(turn).continued(mostThreads) : takePending(fruitless);
    }

    private WorkerState next(Turn turn, Integer next) {
        return next == null || !turn.range.equals(PartitionRange.ALL) ? this : after(next);
    }

    /** A turn did not begin: the application stops, the dispatcher is off, or other threads must leave first. */
    Decision withdrawn(Turn turn) {
        boolean isCurrent = turn.run == run;
        return new Decision(
                pending(pending.and(turn.range)).threads(threads - 1, isCurrent ? runThreads - 1 : runThreads),
                false,
                null);
    }

    /** A turn has failed. */
    Decision failed(Turn turn) {
        WorkerState rest = turn.run == run
                ? newRun().threads(threads - 1, 0).failures(failures + 1)
                : threads(threads - 1, runThreads);
        return new Decision(rest, false, null);
    }

    /**
     * Asks for a thread if the timer has not called for two intervals. Then its own thread hangs in this worker, and
     * the container does not call the timer again until it returns.
     *
     * @param interval the timer's interval, in nanoseconds
     */
    Decision checked(long now, long interval, int mostThreads) {
        boolean isStalled = now - polledAt >= 2 * interval && threads < mostThreads;
        return isStalled
                ? new Decision(newRun().polledAt(now - interval), true, null)
                : new Decision(this, false, null);
    }

    /** Whether the destination may still be unavailable, so that it must be probed before the next send. */
    boolean isFailing() {
        return failures > 0 && !delivered;
    }

    /** The thread leaves. A run succeeds with its last thread. */
    private WorkerState left(Turn turn) {
        if (turn.run != run) {
            return threads(threads - 1, runThreads);
        }
        WorkerState rest = threads(threads - 1, runThreads - 1);
        return rest.runThreads == 0 ? rest.failures(0) : rest;
    }

    /** Another thread takes what is pending. */
    private Decision continued(int mostThreads) {
        return pending.equals(PartitionRange.NONE)
                ? new Decision(this, false, null)
                : woken(PartitionRange.NONE, mostThreads);
    }

    private WorkerState newRun() {
        return new WorkerState(threads, requested, run + 1, 0, false, failures, pending, after, polledAt);
    }

    private WorkerState threads(int all, int ofRun) {
        return new WorkerState(all, requested, run, ofRun, delivered, failures, pending, after, polledAt);
    }

    private WorkerState requested(boolean now) {
        return new WorkerState(threads, now, run, runThreads, delivered, failures, pending, after, polledAt);
    }

    private WorkerState delivered(boolean now) {
        return new WorkerState(threads, requested, run, runThreads, now, failures, pending, after, polledAt);
    }

    private WorkerState failures(int now) {
        return new WorkerState(threads, requested, run, runThreads, delivered, now, pending, after, polledAt);
    }

    private WorkerState pending(PartitionRange now) {
        return new WorkerState(threads, requested, run, runThreads, delivered, failures, now, after, polledAt);
    }

    private WorkerState after(int now) {
        return new WorkerState(threads, requested, run, runThreads, delivered, failures, pending, now, polledAt);
    }

    private WorkerState polledAt(long now) {
        return new WorkerState(threads, requested, run, runThreads, delivered, failures, pending, after, now);
    }
}
