package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;

import dev.cdioutbox.internal.store.claim.Batch.Row;
import dev.cdioutbox.internal.store.claim.PartitionQuery.Partitions;

/**
 * What keeps other claims away from the partitions of a claim, from the read to the release: the row locks of the claim's
 * transaction, or a lease. Only here do the two differ.
 *
 * @param lease null for row locks
 */
record Reservation(Partitions partitions, Lease lease, LeaseTable leases) {
    static Reservation byLock(Partitions partitions) {
        return new Reservation(partitions, null, null);
    }

    /**
     * Whether a row that the claim has read may be locked or settled by another transaction. A suspended process loses a
     * lease without notice.
     */
    boolean mustProbe(Row row) {
        return lease != null || row.perhapsLocked();
    }

    /** Ends the read of the queues. With a lease, no transaction stays open during the batch. */
    void endRead(Connection connection) throws SQLException {
        if (lease != null) {
            connection.rollback();
        }
    }

    /** Begins a change of rows. Throws an exception if another claim has taken a leased partition. */
    void beginChange(Connection connection) throws SQLException {
        if (lease != null) {
            leases.planByIndex(connection);
            leases.fence(connection, lease);
        }
    }

    /** Gives the partitions back. Row locks end with the transaction, which the caller rolls back. */
    void release(Connection connection) throws SQLException {
        if (lease != null) {
            // First: if the connection is broken, the lease has to end, and must not be renewed for ever.
            leases.stopRenewing(lease);
            connection.rollback();
            leases.giveBack(connection, lease);
            connection.commit();
        }
    }
}
