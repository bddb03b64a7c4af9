package dev.cdioutbox.internal.store.claim;

import dev.cdioutbox.internal.store.dialect.Dialect;

/** The SQL that locks partitions, built once for a table prefix and a dialect. */
public final class PartitionStatements {
    public final String claimable;
    final String lockPartitions;
    final String lockPartition;

    /** @param condition a condition on messages, beginning with AND; its parameters follow the destination */
    public PartitionStatements(String prefix, Dialect dialect, String condition) {
        String partition = prefix + "partition";
        // No EXISTS here: a planner that expects small tables would read them as a whole, once for all partitions.
        String dueBlockedKey =
                dialect.hasDueBlockedKey(prefix + "blocked_key", dialect.indexPrefix(prefix) + "blocked_key_due");
        claimable = """
                SELECT p.id, CASE WHEN %5$s THEN 1 ELSE 0 END AS blocked_keys FROM %1$s p
                WHERE p.application = ? AND p.destination = ? AND p.partition_no >= 0
                  AND NOT EXISTS (SELECT 1 FROM %3$scontrol c WHERE c.application = p.application
                    AND c.destination IN (p.destination, '*') AND c.paused = 1)
                  AND (p.leased_until IS NULL OR p.leased_until <= %7$s)
                  AND ((SELECT 1 FROM %2$smessage m WHERE m.queue_id = p.id %8$s %6$s) IS NOT NULL OR %5$s)
                ORDER BY CASE WHEN p.id > ? THEN 0 ELSE 1 END, p.id
                %4$s""".formatted(
                        partition,
                        prefix,
                        prefix,
                        dialect.limit("?"),
                        dueBlockedKey,
                        dialect.limitUnordered("1"),
                        dialect.now(),
                        condition);
        lockPartitions = claimable + " FOR UPDATE SKIP LOCKED";
        lockPartition = dialect.lockSkipLocked("id", partition, "id = ?");
    }
}
