package dev.cdioutbox.internal.dispatch;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.internal.store.SweepResult;

/**
 * Removes messages that were kept long enough, oldest first, in bounded batches. It goes on where it stopped, and does not
 * read again and again what it left behind: that gets a second look a little at a time, and at once as long as it is worth it.
 */
final class SweepLoop {
    /** In one run; then the timer's thread is given back before the next. */
    static final int BATCHES = 100;

    /** Batches in one run of what was left behind: published late, abandoned, or of another application. */
    static final int BATCHES_BEHIND = 10;

    /** So many rounds of second looks, and one of them begins at the beginning: a transaction may have been that late. */
    private static final int FULL_SCAN_EVERY = 60;

    private static final Logger LOG = Logger.getLogger(SweepLoop.class.getName());

    private final OutboxStore store;
    private final Transactions transactions;
    private final AtomicBoolean busy = new AtomicBoolean();
    private volatile long forwardPosition;
    private volatile long behindPosition;
    private volatile long behindStart;
    private volatile long kept;
    private volatile int behindScans;
    private volatile int failures;

    SweepLoop(OutboxStore store, Transactions transactions) {
        this.store = store;
        this.transactions = transactions;
    }

    /**
     * Runs, unless a run is in progress.
     *
     * @return whether there is more to be done at once
     */
    boolean sweep(Supplier<OutboxConfig> config, BooleanSupplier stopping) {
        if (!busy.compareAndSet(false, true)) {
            return false;
        }
        try {
            boolean more = sweepForward(config, stopping);
            more |= sweepBehind(config, stopping);
            succeeded();
            return more && !stopping.getAsBoolean();
        } catch (Exception | LinkageError | OutOfMemoryError | StackOverflowError e) {
            failed(e);
            return false;
        } finally {
            busy.set(false);
        }
    }

    private boolean sweepForward(Supplier<OutboxConfig> config, BooleanSupplier stopping) throws Exception {
        for (int batch = 0; batch < BATCHES && !stopping.getAsBoolean(); batch++) {
            SweepResult swept = batch(config.get().retention(), forwardPosition, Long.MAX_VALUE);
            forwardPosition = swept.last();
            if (swept.isEnd()) {
                return false;
            }
        }
        return true;
    }

    /** Tells whether it found something to remove, and has not come to the end. */
    private boolean sweepBehind(Supplier<OutboxConfig> config, BooleanSupplier stopping) throws Exception {
        boolean found = false;
        for (int batch = 0; batch < BATCHES_BEHIND && !stopping.getAsBoolean(); batch++) {
            SweepResult swept = batch(config.get().retention(), behindPosition, forwardPosition);
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
     * From the first that stays: not by what was removed before it, again and again. While somebody reads on PostgreSQL, that is
     * still in the index.
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

    /** Each is a transaction of its own, outside of any global one. */
    private SweepResult batch(RetentionConfig retention, long after, long upTo) throws Exception {
        return transactions.outside(() -> store.sweep(retention, after, upTo));
    }

    /** One line when it begins to fail and one when it works again: what stays longer than it should harms nobody. */
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
