package dev.cdioutbox.jms.internal.consume;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.Inbox;

/** Deletes old inbox records in bounded batches. */
final class InboxSweep {
    static final int PIECE = 1000;

    /** In one call: a server that stops waits for a call that is under way. */
    static final int PIECES = 100;

    private static final Logger LOG = Logger.getLogger(InboxSweep.class.getName());

    private final Inbox inbox;
    private final Supplier<Duration> retention;
    private final AtomicBoolean busy = new AtomicBoolean();
    private volatile boolean failing;

    InboxSweep(Inbox inbox, Supplier<Duration> retention) {
        this.inbox = inbox;
        this.retention = retention;
    }

    /**
     * Until no old record is left, the application stops, or the time is over; unless a call is in progress. What fails is left to the next time.
     *
     * @return whether there is more to be forgotten at once
     */
    boolean run(BooleanSupplier wanted) {
        if (!busy.compareAndSet(false, true)) {
            return false;
        }
        try {
            boolean more = true;
            for (int piece = 0; more && piece < PIECES && wanted.getAsBoolean(); piece++) {
                more = inbox.sweep(retention.get(), PIECE) == PIECE;
            }
            failing = false;
            return more && wanted.getAsBoolean();
        } catch (RuntimeException e) {
            LOG.log(failing ? Level.FINE : Level.WARNING, Problem.INBOX_NOT_SWEPT.text(Problem.reason(e)));
            failing = true;
            return false;
        } finally {
            busy.set(false);
        }
    }
}
