package dev.cdioutbox.internal.store;

import java.util.Collections;

import dev.cdioutbox.internal.store.Writers.Sight;

/**
 * Up to which sequence nobody can write any more: each transaction that was given one up to there has ended. What is seen later
 * shows everything that they wrote. Not thread-safe.
 */
final class Horizon {
    private Sight noted;
    private Sight previous;
    private long reached;

    long reached() {
        return reached;
    }

    /**
     * Takes note of what was seen.
     *
     * @return false if sequences may be given out a second time, as after a restore, or by a replica that has taken over and
     *     did not have all: then nothing holds that was known before
     */
    boolean see(Sight now) {
        boolean forward = previous == null || isLater(now);
        previous = now;
        if (!forward) {
            noted = null;
            reached = 0;
        }
        advance(now);
        if (noted == null && isKnown(now)) {
            noted = now;
            advance(now);
        }
        return forward;
    }

    private boolean isLater(Sight now) {
        return now.server() == previous.server()
                && now.last() >= previous.last()
                && now.written() >= previous.written();
    }

    private void advance(Sight now) {
        if (noted != null && isOver(now)) {
            reached = noted.last();
            noted = null;
        }
    }

    /**
     * All writers that were noted are gone; and what the database gave out will be known to it after a crash, so that it cannot
     * give it out to others then.
     */
    private boolean isOver(Sight now) {
        return isKnown(now) && Collections.disjoint(noted.writers(), now.writers()) && now.flushed() >= noted.written();
    }

    /** A transaction without an id could not be recognized later. */
    private static boolean isKnown(Sight sight) {
        return sight.single() && !sight.writers().contains(Writers.UNKNOWN);
    }
}
