package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;

import dev.cdioutbox.internal.store.Claim;
import dev.cdioutbox.internal.store.ClaimLimits;
import dev.cdioutbox.internal.store.Lease;
import dev.cdioutbox.internal.store.blockedkey.BlockedKeyTable;
import dev.cdioutbox.internal.store.blockedkey.PendingMaintenance;
import dev.cdioutbox.internal.store.sql.LocalTransaction;
import dev.cdioutbox.internal.store.sql.OutboxStatements;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/** Locks partitions and reads their due messages. Does queue maintenance before that, in a separate transaction. */
public final class PartitionClaimer {
    private final OutboxStatements sql;
    private final PartitionLock partitionLock;
    private final BlockedKeyTable blockedKeys;
    private final RoundRobinStart roundRobinStart = new RoundRobinStart();
    private final LeaseTable leases;
    private final ReadWatermark watermark;

    public PartitionClaimer(
            OutboxStatements sql,
            PartitionLock partitionLock,
            BlockedKeyTable blockedKeys,
            LeaseTable leases,
            ReadWatermark watermark) {
        this.sql = sql;
        this.partitionLock = partitionLock;
        this.blockedKeys = blockedKeys;
        this.leases = leases;
        this.watermark = watermark;
    }

    public Claim claim(LocalTransaction transaction, String destination, int afterQueue, ClaimLimits limits)
            throws SQLException {
        // Refresh before the lock: the query may be slow, and the reads after it see all transactions that ended before
        // it.
        watermark.refresh(transaction.connection());
        return limits.lease() == null
                ? lock(transaction, destination, afterQueue, limits)
                : lease(transaction, destination, afterQueue, limits);
    }

    private Claim lease(LocalTransaction transaction, String destination, int afterQueue, ClaimLimits limits)
            throws SQLException {
        PartitionLock.LockedPartitions candidates =
                partitionLock.claimablePartitions(transaction.connection(), destination, afterQueue);
        Lease lease = leases.take(transaction, candidates.partitions(), limits.partitions(), limits.lease());
        try {
            return read(transaction, candidates.only(lease.partitions()), limits, lease);
        } catch (SQLException | RuntimeException e) {
            try {
                giveBack(transaction, lease);
            } catch (SQLException alsoFailed) {
                // The lease expires.
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
    }

    private Claim read(
            LocalTransaction transaction, PartitionLock.LockedPartitions leased, ClaimLimits limits, Lease lease)
            throws SQLException {
        Connection connection = transaction.connection();
        QueueReader reader = read(connection, leased, limits, new PendingMaintenance());
        boolean maintained = false;
        if (!reader.maintenance().isEmpty()) {
            // Maintenance changes rows, so first check and lock the lease.
            transaction.rollback();
            leases.fence(connection, lease);
            maintained = blockedKeys.maintain(connection, reader.maintenance());
            transaction.commit();
            reader = read(connection, leased, limits, reader.maintenance());
        }
        transaction.rollback();
        return new JdbcClaim(
                transaction, lease.partitions(), reader, maintained, lease, remaining -> giveBack(transaction, lease));
    }

    private void giveBack(LocalTransaction transaction, Lease lease) throws SQLException {
        transaction.rollback();
        if (!lease.partitions().isEmpty()) {
            leases.giveBack(transaction.connection(), lease);
            transaction.commit();
        }
    }

    private Claim lock(LocalTransaction transaction, String destination, int afterQueue, ClaimLimits limits)
            throws SQLException {
        Connection connection = transaction.connection();
        PartitionLock.LockedPartitions locked =
                partitionLock.lock(connection, destination, afterQueue, limits.partitions());
        QueueReader reader = read(connection, locked, limits, new PendingMaintenance());
        boolean maintained = false;
        if (!reader.maintenance().isEmpty()) {
            maintained = blockedKeys.maintain(connection, reader.maintenance());
            // The commit releases the partitions, and another node may lock them: claim again.
            transaction.commit();
            locked = partitionLock.lock(connection, destination, afterQueue, limits.partitions());
            reader = read(connection, locked, limits, reader.maintenance());
        }
        return new JdbcClaim(
                transaction,
                locked.partitions(),
                reader,
                maintained,
                null,
                remaining -> maintain(transaction, remaining));
    }

    /**
     * Removes empty blocked keys, under the lock of the partitions: with them the next claim could not reach later
     * ones.
     */
    private void maintain(LocalTransaction transaction, PendingMaintenance remaining) throws SQLException {
        remaining.emptyKeys.retainAll(blockedKeys.findEmpty(transaction.connection(), remaining.emptyKeys));
        if (!remaining.isEmpty()) {
            blockedKeys.maintain(transaction.connection(), remaining);
            transaction.commit();
        }
    }

    private QueueReader read(
            Connection connection, PartitionLock.LockedPartitions locked, ClaimLimits limits, PendingMaintenance before)
            throws SQLException {
        QueueReader reader = new QueueReader(sql, limits, locked, blockedKeys, roundRobinStart, watermark, before);
        reader.read(connection);
        return reader;
    }
}
