package dev.cdioutbox.internal.store;

import java.util.Collections;

import dev.cdioutbox.internal.store.InFlightInserts.InFlightSnapshot;

/**
 * The sequence up to which all inserting transactions have ended. Later reads see all rows up to it. Not thread-safe.
 */
final class CommitWatermark {
    private InFlightSnapshot pending;
    private InFlightSnapshot previous;
    private long sequence;

    long sequence() {
        return sequence;
    }

    /**
     * Processes an observation.
     *
     * @return false if sequences may be given out twice, as after a restore, or on a replica that took over without the
     *     last transactions: then all watermarks are invalid
     */
    boolean observe(InFlightSnapshot now) {
        boolean forward = previous == null || isLater(now);
        previous = now;
        if (!forward) {
            pending = null;
            sequence = 0;
        }
        advance(now);
        if (pending == null && isKnown(now)) {
            pending = now;
            advance(now);
        }
        return forward;
    }

    private boolean isLater(InFlightSnapshot now) {
        return now.server() == previous.server()
                && now.last() >= previous.last()
                && now.written() >= previous.written();
    }

    private void advance(InFlightSnapshot now) {
        if (pending != null && isEnded(now)) {
            sequence = pending.last();
            pending = null;
        }
    }

    /**
     * All transactions of the pending observation have ended, and its sequence is flushed to disk: after a crash the
     * database will not give it out again.
     */
    private boolean isEnded(InFlightSnapshot now) {
        return isKnown(now)
                && Collections.disjoint(pending.writers(), now.writers())
                && now.flushed() >= pending.written();
    }

    /** A transaction without an id could not be recognized later. */
    private static boolean isKnown(InFlightSnapshot sight) {
        return sight.single() && !sight.writers().contains(InFlightInserts.UNKNOWN);
    }
}
