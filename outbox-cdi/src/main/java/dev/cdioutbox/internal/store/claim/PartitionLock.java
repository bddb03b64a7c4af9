package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/** Locks partitions with waiting messages, up to a limit, and leaves the others to other nodes. */
public final class PartitionLock {
    private final String application;
    private final Dialect dialect;
    private final PartitionIds partitions;
    private final ReadWatermark watermark;
    private final String claimable;
    private final String lockPartitions;
    private final String lockPartition;

    public PartitionLock(
            String application, String prefix, Dialect dialect, PartitionIds partitions, ReadWatermark watermark) {
        this.application = application;
        this.dialect = dialect;
        this.partitions = partitions;
        this.watermark = watermark;
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
                  AND ((SELECT 1 FROM %2$smessage m WHERE %8$s %6$s) IS NOT NULL OR %5$s)
                ORDER BY CASE WHEN p.id > ? THEN 0 ELSE 1 END, p.id
                %4$s""".formatted(
                        partition,
                        prefix,
                        prefix,
                        dialect.limit("?"),
                        dueBlockedKey,
                        dialect.limitUnordered("1"),
                        dialect.now(),
                        watermark.waits());
        lockPartitions = claimable + " FOR UPDATE SKIP LOCKED";
        lockPartition = dialect.lockSkipLocked("id", partition, "id = ?");
    }

    LockedPartitions lock(Connection connection, String destination, int afterPartition, int most) throws SQLException {
        if (dialect.locksOnlyReturnedRows()) {
            return select(connection, lockPartitions, destination, afterPartition, most);
        }
        LockedPartitions candidates = claimablePartitions(connection, destination, afterPartition);
        List<Integer> locked = new ArrayList<>();
        for (int i = 0; i < candidates.partitions().size() && locked.size() < most; i++) {
            int candidate = candidates.partitions().get(i);
            if (JdbcStatement.of(connection, lockPartition, candidate).number() != null) {
                locked.add(candidate);
            }
        }
        return candidates.only(locked);
    }

    /** The partitions with waiting messages, locked or not. */
    LockedPartitions claimablePartitions(Connection connection, String destination, int afterPartition)
            throws SQLException {
        return select(connection, claimable, destination, afterPartition, Integer.MAX_VALUE);
    }

    private LockedPartitions select(
            Connection connection, String statement, String destination, int afterPartition, int most)
            throws SQLException {
        List<Object> parameters = new ArrayList<>(List.of(application, destination));
        parameters.addAll(watermark.parameters(this.partitions.queueIds(destination)));
        parameters.addAll(List.of(afterPartition, most));
        List<Integer> partitions = new ArrayList<>();
        List<Integer> withDueBlockedKeys = new ArrayList<>();
        JdbcStatement.of(connection, statement, parameters.toArray()).forEach(row -> {
            partitions.add(row.getInt(1));
            if (row.getInt(2) == 1) {
                withDueBlockedKeys.add(row.getInt(1));
            }
        });
        return new LockedPartitions(partitions, withDueBlockedKeys);
    }

    /** The ids of partitions, in the order of service. */
    record LockedPartitions(List<Integer> partitions, List<Integer> withDueBlockedKeys) {

        LockedPartitions only(List<Integer> some) {
            return new LockedPartitions(
                    some, withDueBlockedKeys.stream().filter(some::contains).toList());
        }
    }
}
