package dev.cdioutbox.internal.store;

import java.time.Duration;
import java.util.List;

/**
 * A claim that is a row's content and not its lock: who has these partitions, until a moment by the database's clock.
 *
 * @param owner of this claim alone, so that nobody takes another claim of the same node for it
 * @param length from each renewal on
 */
public record Lease(String owner, List<Integer> partitions, Duration length) {

    public Lease {
        partitions = List.copyOf(partitions);
    }
}
