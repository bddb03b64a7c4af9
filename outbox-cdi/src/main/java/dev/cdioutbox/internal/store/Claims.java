package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import dev.cdioutbox.internal.problem.Problem;

/** Takes partitions and reads what is due in them. What has to be put in order there first is a transaction of its own. */
final class Claims {
    private final Statements sql;
    private final PartitionLock partitionLock;
    private final Gates gates;
    private final Leases leases;
    private final FloorKeeper floors;

    Claims(Statements sql, PartitionLock partitionLock, Gates gates, Leases leases, FloorKeeper floors) {
        this.sql = sql;
        this.partitionLock = partitionLock;
        this.gates = gates;
        this.leases = leases;
        this.floors = floors;
    }

    /** @throws dev.cdioutbox.OutboxException OBX-0314 if the database cannot do with claims by lock */
    void check(Duration lease, String database) {
        if (lease == null && !sql.dialect().skipsLocked()) {
            throw Problem.LEASE_NEEDED.exception(database);
        }
    }

    Claim take(OwnTransaction transaction, String destination, int afterQueue, ClaimLimits limits) throws SQLException {
        // Before the partitions are locked: it may take a while, and what comes after it sees what ended before it.
        Floors known = floors.look(transaction.connection());
        return limits.lease() == null
                ? lock(transaction, known, destination, afterQueue, limits)
                : lease(transaction, known, destination, afterQueue, limits);
    }

    private Claim lease(
            OwnTransaction transaction, Floors known, String destination, int afterQueue, ClaimLimits limits)
            throws SQLException {
        PartitionLock.Locked candidates =
                partitionLock.candidates(transaction.connection(), known, destination, afterQueue);
        Lease lease = leases.take(transaction, candidates.partitions(), limits.partitions(), limits.lease());
        try {
            return read(transaction, known, candidates.only(lease.partitions()), limits, lease);
        } catch (SQLException | RuntimeException e) {
            giveBack(transaction, lease, e);
            throw e;
        }
    }

    private Claim read(
            OwnTransaction transaction, Floors known, PartitionLock.Locked leased, ClaimLimits limits, Lease lease)
            throws SQLException {
        Connection connection = transaction.connection();
        QueueReader reader = read(connection, known, leased, limits, new Tending());
        boolean tended = false;
        if (!reader.tending().isEmpty()) {
            // What comes now changes rows, as a settling does: only the owner may, and as long as it is.
            transaction.rollback();
            leases.fence(connection, lease);
            tended = gates.tend(connection, reader.tending(), known);
            transaction.commit();
            reader = read(connection, known, leased, limits, reader.tending());
        }
        transaction.rollback();
        return new Claim(transaction, reader, tended, lease, leases);
    }

    private void giveBack(OwnTransaction transaction, Lease lease, Exception cause) {
        try {
            transaction.rollback();
            if (!lease.partitions().isEmpty()) {
                leases.giveBack(transaction.connection(), lease);
                transaction.commit();
            }
        } catch (SQLException alsoFailed) {
            // Then it runs out.
            cause.addSuppressed(alsoFailed);
        }
    }

    private Claim lock(OwnTransaction transaction, Floors known, String destination, int afterQueue, ClaimLimits limits)
            throws SQLException {
        Connection connection = transaction.connection();
        PartitionLock.Locked locked =
                partitionLock.lock(connection, known, destination, afterQueue, limits.partitions());
        QueueReader reader = read(connection, known, locked, limits, new Tending());
        boolean tended = false;
        if (!reader.tending().isEmpty()) {
            tended = gates.tend(connection, reader.tending(), known);
            // That gives the partitions back too, and anybody may have them next: begin anew.
            transaction.commit();
            locked = partitionLock.lock(connection, known, destination, afterQueue, limits.partitions());
            reader = read(connection, known, locked, limits, reader.tending());
        }
        return new Claim(transaction, locked.partitions(), reader, tended, known, gates);
    }

    private QueueReader read(
            Connection connection, Floors known, PartitionLock.Locked locked, ClaimLimits limits, Tending before)
            throws SQLException {
        QueueReader reader = new QueueReader(sql, limits, locked, gates, known, before);
        reader.read(connection);
        return reader;
    }
}
