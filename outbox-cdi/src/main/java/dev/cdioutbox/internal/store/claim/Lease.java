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
public record Lease(String owner, List<Long> partitions, Duration length) {

    public Lease {
        partitions = List.copyOf(partitions);
    }
}
