package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.Claim;
import dev.cdioutbox.internal.store.ClaimLimits;
import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.internal.store.Lease;
import dev.cdioutbox.internal.store.blockedkey.BlockedKeyTable;
import dev.cdioutbox.internal.store.blockedkey.PendingMaintenance;
import dev.cdioutbox.internal.store.claim.PartitionLock.LockedPartitions;
import dev.cdioutbox.internal.store.sql.LocalTransaction;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/**
 * Claims partitions: locks or leases them, and reads their due messages. If the read finds that queues need maintenance,
 * does this in a separate transaction, and reads again.
 */
public final class PartitionClaimer {
    private static final Logger LOG = Logger.getLogger(PartitionClaimer.class.getName());

    private final PartitionLock partitionLock;
    private final QueueReader reader;
    private final BlockedKeyTable blockedKeys;
    private final LeaseTable leases;
    private final ReadWatermark watermark;

    public PartitionClaimer(
            PartitionLock partitionLock,
            QueueReader reader,
            BlockedKeyTable blockedKeys,
            LeaseTable leases,
            ReadWatermark watermark) {
        this.partitionLock = partitionLock;
        this.reader = reader;
        this.blockedKeys = blockedKeys;
        this.leases = leases;
        this.watermark = watermark;
    }

    /** @param afterPartition the last served partition */
    public Claim claim(LocalTransaction transaction, String destination, int afterPartition, ClaimLimits limits)
            throws SQLException {
        Connection connection = transaction.connection();
        // Refresh before the lock: the query may be slow, and the reads after it see all transactions that ended before
        // it.
        watermark.refresh(connection);
        if (limits.lease() == null) {
            Locker locker = () -> partitionLock.lock(connection, destination, afterPartition, limits.partitions());
            OpenClaim claim = new OpenClaim(transaction, reader.begin(limits), locker, null);
            claim.read(locker.lock());
            return claim;
        }
        LockedPartitions candidates = partitionLock.claimablePartitions(connection, destination, afterPartition);
        Lease lease = leases.take(transaction, candidates.partitions(), limits.partitions(), limits.lease());
        LockedPartitions leased = candidates.only(lease.partitions());
        OpenClaim claim = new OpenClaim(transaction, reader.begin(limits), () -> leased, lease);
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

    private interface Locker {
        LockedPartitions lock() throws SQLException;
    }

    /** A claim on a separate connection: its row locks end with the connection. Or a claim by lease, which expires. */
    private final class OpenClaim implements Claim {
        private final LocalTransaction transaction;
        private final QueueReader.Reading reading;
        private final Locker locker;
        private final Lease lease;
        private boolean maintained;

        /**
         * @param locker locks the partitions
         * @param lease null for a claim by row lock
         */
        private OpenClaim(LocalTransaction transaction, QueueReader.Reading reading, Locker locker, Lease lease) {
            this.transaction = transaction;
            this.reading = reading;
            this.locker = locker;
            this.lease = lease;
        }

        /** Reads the partitions. If their queues need maintenance, does this, and reads once more. */
        private void read(LockedPartitions locked) throws SQLException {
            Connection connection = transaction.connection();
            reading.read(connection, locked, null);
            PendingMaintenance maintenance = reading.maintenance();
            if (!maintenance.isEmpty()) {
                if (lease != null) {
                    // Maintenance changes rows, so first check and lock the lease.
                    leases.fence(connection, lease);
                }
                maintained |= blockedKeys.maintain(connection, maintenance);
                // The commit releases row locks of partitions, and another node may take them: lock again.
                transaction.commit();
                reading.read(connection, locker.lock(), maintenance);
            }
            if (lease != null) {
                transaction.rollback();
            }
        }

        @Override
        public List<Integer> partitions() {
            return reading.locked().partitions();
        }

        @Override
        public List<OutboxMessage> messages() {
            return reading.batch().messages();
        }

        @Override
        public Map<Long, String> unreadable() {
            return reading.batch().unreadable();
        }

        @Override
        public Set<Long> sequences() {
            return reading.batch().sequences();
        }

        @Override
        public boolean isEmpty() {
            return reading.batch().isEmpty();
        }

        @Override
        public DatabaseClock clock() {
            return reading.clock();
        }

        @Override
        public boolean maintained() {
            return maintained;
        }

        @Override
        public Lease lease() {
            return lease;
        }

        @Override
        public boolean removeUnlockable(Set<Long> lockable) {
            if (!reading.batch().removeUnlockable(lockable)) {
                return false;
            }
            try {
                // The rows in doubt must neither hide later rows nor take the room of others.
                read(reading.locked());
                return !isEmpty();
            } catch (SQLException e) {
                throw Problem.DATABASE_FAILED.exception(e, "reading behind messages in doubt", Problem.reason(e));
            }
        }

        @Override
        public int endBefore(OutboxMessage next, int none) {
            return reading.endBefore(next, none);
        }

        @Override
        public void close() {
            try (transaction) {
                if (lease != null) {
                    giveBack();
                }
            } catch (SQLException e) {
                // Ignore the failure: locks end with the connection, a lease expires, and other transactions commit the
                // settlements.
                LOG.log(Level.FINE, e, () -> Problem.DATABASE_FAILED.text("giving back a claim", Problem.reason(e)));
            }
        }

        private void giveBack() throws SQLException {
            transaction.rollback();
            if (!lease.partitions().isEmpty()) {
                leases.giveBack(transaction.connection(), lease);
                transaction.commit();
            }
        }
    }
}
