package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.Connections.LocalTransaction;

/** Leases the partitions ({@link HeldLeases}). No transaction stays open during the batch, and a lease may be lost. */
final class LeaseReservation implements Reservation {
    private final String destination;
    private final Connections connections;
    private final PartitionClaim partitions;
    private final HeldLeases leases;
    private final Duration length;
    private Lease lease;

    /** @param length the time from a renewal to the end */
    LeaseReservation(
            String destination,
            Connections connections,
            PartitionClaim partitions,
            HeldLeases leases,
            Duration length) {
        this.destination = destination;
        this.connections = connections;
        this.partitions = partitions;
        this.leases = leases;
        this.length = length;
        lease = Lease.nothing(length);
    }

    @Override
    public String destination() {
        return destination;
    }

    Lease lease() {
        return lease;
    }

    @Override
    public Partitions reserve(Connection connection, long after, ClaimLimits limits) throws SQLException {
        Partitions found = partitions.find(connection, destination, after, limits);
        lease = leases.take(connection, found.ids(), limits.partitions(), length);
        return found.only(lease.partitions());
    }

    /** A suspended process loses a lease without notice. */
    @Override
    public boolean mustProbe(Row row) {
        return true;
    }

    @Override
    public boolean hidesPartitions() {
        return true;
    }

    @Override
    public void endRead(Connection connection) throws SQLException {
        connection.rollback();
    }

    @Override
    public void prove() {
        connections.withConnection("settling messages", connection -> {
            leases.fence(connection, lease);
            return null;
        });
    }

    @Override
    public void beginChange(Connection connection) throws SQLException {
        leases.planByIndex(connection);
        leases.fence(connection, lease);
    }

    @Override
    public void release(LocalTransaction transaction) throws SQLException {
        // First: if the connection is broken, the lease has to end, and must not be renewed for ever.
        leases.stopRenewing(lease);
        try (transaction) {
            Connection connection = transaction.connection();
            connection.rollback();
            leases.giveBack(connection, lease);
            connection.commit();
        }
    }
}
