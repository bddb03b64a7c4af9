package dev.cdioutbox.internal.store;

import java.util.Collections;

import dev.cdioutbox.internal.store.InFlightInserts.InFlightSnapshot;

/**
 * Up to which sequence nobody can write any more: each transaction that was given one up to there has ended. What is seen later
 * shows everything that they wrote. Not thread-safe.
 */
final class CommitWatermark {
    private InFlightSnapshot pending;
    private InFlightSnapshot previous;
    private long sequence;

    long sequence() {
        return sequence;
    }

    /**
     * Takes note of what was seen.
     *
     * @return false if sequences may be given out a second time, as after a restore, or by a replica that has taken over and
     *     did not have all: then nothing holds that was known before
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
     * All writers that were noted are gone; and what the database gave out will be known to it after a crash, so that it cannot
     * give it out to others then.
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
