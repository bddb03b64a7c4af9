package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;

import dev.cdioutbox.internal.store.sql.Connections.LocalTransaction;

/**
 * Locks the rows of the partitions until the claim's transaction ends. Only the count of the settled rows proves that the lock
 * was not lost with its connection.
 */
class RowLockReservation implements Reservation {
    private final String destination;
    private final PartitionClaim partitions;

    RowLockReservation(String destination, PartitionClaim partitions) {
        this.destination = destination;
        this.partitions = partitions;
    }

    @Override
    public final String destination() {
        return destination;
    }

    @Override
    public Partitions reserve(Connection connection, long after, ClaimLimits limits) throws Exception {
        return partitions.findAndLock(connection, destination, after, limits);
    }

    @Override
    public final boolean mustProbe(Row row) {
        return row.perhapsLocked();
    }

    @Override
    public final boolean hidesPartitions() {
        return false;
    }

    @Override
    public final void endRead(Connection connection) {
        // The transaction keeps the locks.
    }

    @Override
    public final void prove() {
        // The settlement counts its rows.
    }

    @Override
    public final void beginChange(Connection connection) {
        // In the transaction that has the locks.
    }

    @Override
    public final void release(LocalTransaction transaction) throws SQLException {
        transaction.close();
    }
}
