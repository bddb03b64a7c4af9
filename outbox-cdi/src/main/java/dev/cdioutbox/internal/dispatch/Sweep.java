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
import dev.cdioutbox.internal.store.Swept;

/**
 * Removes messages that were kept long enough, oldest first, in bounded batches. It goes on where it stopped, and does not
 * read again and again what it left behind: that gets a second look a little at a time, and at once as long as it is worth it.
 */
final class Sweep {
    /** In one run; then the timer's thread is given back before the next. */
    static final int BATCHES = 100;

    /** Batches in one run of what was left behind: published late, abandoned, or of another application. */
    static final int SECOND_LOOKS = 10;

    /** So many rounds of second looks, and one of them begins at the beginning: a transaction may have been that late. */
    private static final int FROM_THE_BEGINNING = 60;

    private static final Logger LOG = Logger.getLogger(Sweep.class.getName());

    private final OutboxStore store;
    private final Transactions transactions;
    private final AtomicBoolean busy = new AtomicBoolean();
    private volatile long front;
    private volatile long behind;
    private volatile long bottom;
    private volatile long kept;
    private volatile int rounds;
    private volatile int failures;

    Sweep(OutboxStore store, Transactions transactions) {
        this.store = store;
        this.transactions = transactions;
    }

    /**
     * Runs, unless a run is in progress.
     *
     * @return whether there is more to be done at once
     */
    boolean run(Supplier<OutboxConfig> config, BooleanSupplier stopping) {
        if (!busy.compareAndSet(false, true)) {
            return false;
        }
        try {
            boolean more = forward(config, stopping);
            more |= lookBehind(config, stopping);
            succeeded();
            return more && !stopping.getAsBoolean();
        } catch (Exception | LinkageError | OutOfMemoryError | StackOverflowError e) {
            failed(e);
            return false;
        } finally {
            busy.set(false);
        }
    }

    private boolean forward(Supplier<OutboxConfig> config, BooleanSupplier stopping) throws Exception {
        for (int batch = 0; batch < BATCHES && !stopping.getAsBoolean(); batch++) {
            Swept swept = batch(config.get().retention(), front, Long.MAX_VALUE);
            front = swept.last();
            if (swept.isEnd()) {
                return false;
            }
        }
        return true;
    }

    /** Tells whether it found something to remove, and has not come to the end. */
    private boolean lookBehind(Supplier<OutboxConfig> config, BooleanSupplier stopping) throws Exception {
        boolean found = false;
        for (int batch = 0; batch < SECOND_LOOKS && !stopping.getAsBoolean(); batch++) {
            Swept swept = batch(config.get().retention(), behind, front);
            if (kept == 0) {
                kept = swept.kept();
            }
            if (swept.isEnd()) {
                nextRound();
                return false;
            }
            found |= swept.removed() > 0;
            behind = swept.last();
        }
        return found;
    }

    /**
     * From the first that stays: not by what was removed before it, again and again. While somebody reads on PostgreSQL, that is
     * still in the index.
     */
    private void nextRound() {
        rounds++;
        if (rounds % FROM_THE_BEGINNING == 0) {
            bottom = 0;
        } else {
            bottom = kept == 0 ? front : kept - 1;
        }
        kept = 0;
        behind = bottom;
    }

    /** Each is a transaction of its own, outside of any global one. */
    private Swept batch(RetentionConfig retention, long after, long upTo) throws Exception {
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
