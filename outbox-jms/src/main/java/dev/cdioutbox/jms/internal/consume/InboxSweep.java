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
public final class InboxSweep {
    static final int PIECE = 1000;

    /** Pieces in one call: a stopping server waits for a running call. */
    static final int PIECES = 100;

    private static final Logger LOG = Logger.getLogger(InboxSweep.class.getName());

    private final Inbox inbox;
    private final Supplier<Duration> retention;
    private final AtomicBoolean busy = new AtomicBoolean();
    private volatile boolean failing;

    public InboxSweep(Inbox inbox, Supplier<Duration> retention) {
        this.inbox = inbox;
        this.retention = retention;
    }

    /**
     * Sweeps until no old record is left, the application stops, or {@value #PIECES} pieces are done. Does nothing
     * while another call is in progress. Logs a failure and leaves the rest to the next call.
     *
     * @return whether more old records are left
     */
    public boolean run(BooleanSupplier wanted) {
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
