package dev.cdioutbox.internal.store;

import java.time.Duration;
import java.util.List;

/**
 * A claim by a row's content instead of its lock: the owner of some partitions, until a time by the database's clock.
 *
 * @param owner unique for each claim, so that two claims of one node are distinguished
 * @param length the time from each renewal to the end
 */
public record Lease(String owner, List<Integer> partitions, Duration length) {

    public Lease {
        partitions = List.copyOf(partitions);
    }
}
