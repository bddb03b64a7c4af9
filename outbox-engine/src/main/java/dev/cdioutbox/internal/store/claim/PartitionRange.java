package dev.cdioutbox.internal.store.claim;

import java.util.Collection;
import java.util.Collections;

/**
 * The partitions of a destination from one id to another, both included. A set would be more precise, but only PostgreSQL
 * has arrays for it. Without a range, each claim after a single event searches all partitions, which took a quarter of
 * PostgreSQL's CPU.
 */
public record PartitionRange(long first, long last) {
    public static final PartitionRange NONE = new PartitionRange(Long.MAX_VALUE, 0);
    public static final PartitionRange ALL = new PartitionRange(0, Long.MAX_VALUE);

    /** The smallest range that contains these partitions, at least one. */
    public static PartitionRange of(Collection<Long> partitions) {
        return new PartitionRange(Collections.min(partitions), Collections.max(partitions));
    }

    /** The smallest range that contains both. */
    public PartitionRange and(PartitionRange other) {
        return new PartitionRange(Math.min(first, other.first), Math.max(last, other.last));
    }
}
