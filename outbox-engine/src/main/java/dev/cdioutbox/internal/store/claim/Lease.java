package dev.cdioutbox.internal.store.claim;

import java.time.Duration;
import java.util.List;

/**
 * A claim by a row's content instead of its lock: the owner of some partitions, until a time by the database's
 * clock.
 *
 * @param owner an id that is unique for each claim, which distinguishes two claims of one node
 * @param length the time from a renewal to the end
 */
record Lease(String owner, List<Long> partitions, Duration length) {

    Lease {
        partitions = List.copyOf(partitions);
    }

    /** A lease of no partition. */
    static Lease nothing(Duration length) {
        return new Lease("", List.of(), length);
    }
}
