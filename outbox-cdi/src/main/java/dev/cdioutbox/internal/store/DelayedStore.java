package dev.cdioutbox.internal.store;

import java.time.Duration;

/** Keeps messages until they are due. Thread-safe; each method runs in a separate transaction outside of JTA. */
public interface DelayedStore {

    /**
     * Moves due delayed messages to their partitions. A bounded number for each call: while more are due,
     * {@link Claim#delayedAreDue} says so.
     *
     * @return whether this call has moved any
     */
    boolean release(String destination);

    /**
     * The time until the next message becomes due, among those that are delayed or wait for their retry.
     *
     * @return null if none waits
     */
    Duration untilNextDue(String destination);
}
