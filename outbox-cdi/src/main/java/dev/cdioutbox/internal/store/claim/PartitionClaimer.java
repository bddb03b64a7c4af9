package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.store.Claim;
import dev.cdioutbox.internal.store.ClaimLimits;
import dev.cdioutbox.internal.store.Lease;
import dev.cdioutbox.internal.store.claim.QueueReader.LockedPartitions;
import dev.cdioutbox.internal.store.claim.QueueReader.Locker;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.Connections.LocalTransaction;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.PartitionTable;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/**
 * Claims partitions with waiting messages, up to a limit, and leaves the others to other nodes: locks or leases them. A
 * {@link QueueReader} then reads their due messages.
 */
public final class PartitionClaimer {
    private final String application;
    private final Dialect dialect;
    private final PartitionTable partitions;
    private final ReadWatermark watermark;
    private final QueueReader reader;
    private final LeaseTable leases;
    private final String claimable;
    private final String lockPartitions;
    private final String lockPartition;

    public PartitionClaimer(
            StoreConfig config,
            Dialect dialect,
            PartitionTable partitions,
            ReadWatermark watermark,
            QueueReader reader,
            LeaseTable leases) {
        this.application = config.application();
        this.dialect = dialect;
        this.partitions = partitions;
        this.watermark = watermark;
        this.reader = reader;
        this.leases = leases;
        String prefix = config.tablePrefix();
        String partition = prefix + "partition";
        // No EXISTS here: a planner that expects small tables would read them as a whole, once for all partitions.
        String dueBlockedKey =
                dialect.hasDueBlockedKey(prefix + "blocked_key", dialect.indexPrefix(prefix) + "blocked_key_due");
        claimable = """
                SELECT p.id, CASE WHEN %5$s THEN 1 ELSE 0 END AS blocked_keys FROM %1$s p
                WHERE p.application = ? AND p.destination = ?
                  AND NOT EXISTS (SELECT 1 FROM %3$scontrol c WHERE c.application = p.application
                    AND c.destination IN (p.destination, '*') AND c.paused = 1)
                  AND (p.leased_until IS NULL OR p.leased_until <= %7$s)
                  AND (p.partition_no >= 0 AND ((SELECT 1 FROM %2$smessage m WHERE %8$s %6$s) IS NOT NULL OR %5$s)
                    OR p.id = ? AND (SELECT seq FROM %2$smessage WHERE queue_id = ? AND %9$s) IS NOT NULL)
                ORDER BY CASE WHEN p.id > ? THEN 0 ELSE 1 END, p.id
                %4$s""".formatted(
                        partition,
                        prefix,
                        prefix,
                        dialect.limit("?"),
                        dueBlockedKey,
                        dialect.limitUnordered("1"),
                        dialect.now(),
                        watermark.waits(),
                        dialect.limitDue("available_at <= " + dialect.now(), 1));
        lockPartitions = claimable + " FOR UPDATE SKIP LOCKED";
        lockPartition = dialect.lockSkipLocked("id", partition, "id = ?");
    }

    /** @param afterPartition the last served partition */
    public Claim claim(LocalTransaction transaction, String destination, int afterPartition, ClaimLimits limits)
            throws SQLException {
        Connection connection = transaction.connection();
        // Refresh before the lock: the query may be slow, and the reads after it see all transactions that ended before
        // it.
        watermark.refresh(connection);
        if (limits.lease() == null) {
            Locker locker = () -> lock(connection, destination, afterPartition, limits.partitions());
            QueueReader.OpenClaim claim = reader.open(transaction, limits, locker, null);
            claim.read(locker.lock());
            return claim;
        }
        LockedPartitions candidates = claimablePartitions(connection, destination, afterPartition);
        Lease lease = leases.take(connection, candidates.partitions(), limits.partitions(), limits.lease());
        LockedPartitions leased = candidates.only(lease.partitions());
        QueueReader.OpenClaim claim = reader.open(transaction, limits, () -> leased, lease);
        try {
            claim.read(leased);
            return claim;
        } catch (SQLException | RuntimeException e) {
            try {
                claim.giveBack();
            } catch (SQLException alsoFailed) {
                // The lease expires.
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
    }

    private LockedPartitions lock(Connection connection, String destination, int afterPartition, int most)
            throws SQLException {
        if (dialect.locksOnlyReturnedRows()) {
            // The row of due delayed messages takes one place, and must leave one to a partition.
            LockedPartitions locked =
                    select(connection, lockPartitions, destination, afterPartition, Math.max(2, most));
            return locked.partitions().size() <= most
                    ? locked
                    : locked.only(locked.partitions().subList(0, most));
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
    private LockedPartitions claimablePartitions(Connection connection, String destination, int afterPartition)
            throws SQLException {
        return select(connection, claimable, destination, afterPartition, Integer.MAX_VALUE);
    }

    private LockedPartitions select(
            Connection connection, String statement, String destination, int afterPartition, int most)
            throws SQLException {
        List<Object> parameters = new ArrayList<>(List.of(application, destination));
        parameters.addAll(watermark.parameters(this.partitions.queueIds(destination)));
        int delayed = this.partitions.queueId(destination, PartitionTable.DELAYED);
        parameters.addAll(List.of(delayed, delayed, afterPartition, most));
        List<Integer> partitions = new ArrayList<>();
        List<Integer> withDueBlockedKeys = new ArrayList<>();
        JdbcStatement.of(connection, statement, parameters.toArray()).forEach(row -> {
            partitions.add(row.getInt(1));
            if (row.getInt(2) == 1) {
                withDueBlockedKeys.add(row.getInt(1));
            }
        });
        boolean delayedAreDue = partitions.remove((Integer) delayed);
        return new LockedPartitions(partitions, withDueBlockedKeys, delayedAreDue);
    }
}
