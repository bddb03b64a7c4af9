package dev.cdioutbox.internal.store;

import java.util.Map;

import dev.cdioutbox.operate.OutboxBacklog;

/** Reads what waits and what was shadowed. Thread-safe; each method runs in any transaction of the caller. */
public interface StatusStore {

    Backlog backlog();

    /**
     * The number of pending and failed messages of each destination that has some. If the sum reaches
     * {@link OutboxBacklog#CAP}, counting stopped there: each number is a lower bound, and destinations may be missing.
     */
    Map<String, Integer> waitingByDestination();

    /** The highest sequence with a shadow mark for a destination; null if there is none. */
    Long highestShadowed(String destination);
}
