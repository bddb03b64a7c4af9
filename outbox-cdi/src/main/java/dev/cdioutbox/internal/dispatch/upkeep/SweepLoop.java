package dev.cdioutbox.internal.dispatch.upkeep;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.dispatch.container.ApplicationState;
import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.internal.store.SweepResult;

/**
 * Deletes or archives messages whose retention is over, oldest first, in bounded batches. Each call continues at the
 * end of the previous one. A second, slower scan finds messages that the first one left behind.
 */
public final class SweepLoop {
    /** Batches per call; then the timer's thread is returned. */
    static final int BATCHES = 100;

    /** Batches per call of the second scan: for messages published late, abandoned, or of another application. */
    static final int BATCHES_BEHIND = 10;

    /** Every 60th pass restarts at sequence 0 to find rows of transactions that committed late. */
    private static final int FULL_SCAN_EVERY = 60;

    private static final Logger LOG = Logger.getLogger(SweepLoop.class.getName());

    private final OutboxStore store;
    private final Transactions transactions;
    private final ApplicationState application;
    private final AtomicBoolean busy = new AtomicBoolean();
    private volatile long forwardPosition;
    private volatile long behindPosition;
    private volatile long behindStart;
    private volatile long kept;
    private volatile int behindScans;
    private volatile int failures;

    public SweepLoop(OutboxStore store, Transactions transactions, ApplicationState application) {
        this.store = store;
        this.transactions = transactions;
        this.application = application;
    }

    /**
     * Sweeps, unless a sweep is in progress.
     *
     * @return whether more can be removed at once
     */
    public boolean sweep() {
        if (!busy.compareAndSet(false, true)) {
            return false;
        }
        try {
            boolean more = sweepForward();
            more |= sweepBehind();
            succeeded();
            return more && !application.isStopping();
        } catch (Exception | LinkageError | OutOfMemoryError | StackOverflowError e) {
            failed(e);
            return false;
        } finally {
            busy.set(false);
        }
    }

    private boolean sweepForward() throws Exception {
        for (int batch = 0; batch < BATCHES && !application.isStopping(); batch++) {
            SweepResult swept = batch(forwardPosition, Long.MAX_VALUE);
            forwardPosition = swept.last();
            if (swept.isEnd()) {
                return false;
            }
        }
        return true;
    }

    /** @return whether the scan removed messages and did not reach the end */
    private boolean sweepBehind() throws Exception {
        boolean found = false;
        for (int batch = 0; batch < BATCHES_BEHIND && !application.isStopping(); batch++) {
            SweepResult swept = batch(behindPosition, forwardPosition);
            if (kept == 0) {
                kept = swept.kept();
            }
            if (swept.isEnd()) {
                restartBehind();
                return false;
            }
            found |= swept.removed() > 0;
            behindPosition = swept.last();
        }
        return found;
    }

    /**
     * Restarts at the first kept message: on PostgreSQL, index entries of removed messages stay while a snapshot is
     * open, and are slow to read.
     */
    private void restartBehind() {
        behindScans++;
        if (behindScans % FULL_SCAN_EVERY == 0) {
            behindStart = 0;
        } else {
            behindStart = kept == 0 ? forwardPosition : kept - 1;
        }
        kept = 0;
        behindPosition = behindStart;
    }

    /** Each batch is a separate transaction, outside of any global one. */
    private SweepResult batch(long after, long upTo) throws Exception {
        RetentionConfig retention = application.config().retention();
        return transactions.outside(() -> store.sweep(retention, after, upTo));
    }

    /** Logs only the first failure and the recovery, since a late sweep does no harm. */
    private void failed(Throwable e) {
        failures++;
        if (failures == 1) {
            LOG.log(Level.WARNING, e, () -> Problem.SWEEP_FAILED.text(Problem.reason(e)));
        }
    }

    private void succeeded() {
        if (failures > 0) {
            LOG.info(Problem.SWEEP_RESUMED.text(failures));
        }
        failures = 0;
    }
}
