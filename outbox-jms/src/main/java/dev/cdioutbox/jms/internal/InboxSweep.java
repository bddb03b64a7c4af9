package dev.cdioutbox.jms.internal;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.Inbox;

/** Forgets in bounded pieces what the inbox has kept for long enough. */
final class InboxSweep {
    static final int PIECE = 1000;

    private static final Logger LOG = Logger.getLogger(InboxSweep.class.getName());

    private final Inbox inbox;
    private final Supplier<Duration> retention;
    private boolean failing;

    InboxSweep(Inbox inbox, Supplier<Duration> retention) {
        this.inbox = inbox;
        this.retention = retention;
    }

    /** Until nothing is left to be forgotten, or nobody wants it any more. What fails is left to the next time. */
    void run(BooleanSupplier wanted) {
        try {
            while (wanted.getAsBoolean() && inbox.sweep(retention.get(), PIECE) == PIECE) {
                LOG.log(Level.FINE, "there is more in the inbox to be swept");
            }
            failing = false;
        } catch (RuntimeException e) {
            LOG.log(failing ? Level.FINE : Level.WARNING, Problem.INBOX_NOT_SWEPT.text(Problem.reason(e)));
            failing = true;
        }
    }
}
