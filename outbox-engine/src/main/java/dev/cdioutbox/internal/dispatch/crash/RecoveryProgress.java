package dev.cdioutbox.internal.dispatch.crash;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;

/** How far the recovery of one destination has come in this process. Thread-safe. */
final class RecoveryProgress {
    private final AtomicBoolean concernsEachBatch = new AtomicBoolean();
    private Instant lastCrash = Instant.MIN;
    /** How many more messages may have been in flight at the crash. */
    private int suspectsLeft;

    private boolean hasAsked;
    /** By the last answer. If another process stops the destination after that, this one delivers, or crashes. */
    private boolean isStopped;

    /** Whether suspects are left, or a crashing message stops the destination. */
    AtomicBoolean concernsEachBatch() {
        return concernsEachBatch;
    }

    /**
     * A process has crashed.
     *
     * @param last only messages stored until then can have been in flight
     * @param most how many of them
     */
    synchronized void begin(Instant last, int most) {
        lastCrash = last;
        suspectsLeft = most;
        changed();
    }

    synchronized void sentOneSuspect() {
        suspectsLeft = Math.max(0, suspectsLeft - 1);
        changed();
    }

    synchronized void sentAllSuspects() {
        suspectsLeft = 0;
        changed();
    }

    /** The tables have told whether a crashing message stops the destination. */
    synchronized void answered(boolean stops) {
        hasAsked = true;
        isStopped = stops;
        changed();
    }

    private void changed() {
        concernsEachBatch.set(suspectsLeft > 0 || isStopped);
    }

    synchronized boolean hasSuspects() {
        return suspectsLeft > 0;
    }

    /** Messages stored until then are suspects; {@link Instant#MIN} if none are left. */
    synchronized Instant suspectedUntil() {
        return hasSuspects() ? lastCrash : Instant.MIN;
    }

    /** Whether the tables need not be asked again, unless a message is to be given up. */
    synchronized boolean isKnownToGoOn() {
        return hasAsked && !isStopped;
    }
}
