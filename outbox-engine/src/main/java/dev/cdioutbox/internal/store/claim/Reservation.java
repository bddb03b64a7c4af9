package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;

import dev.cdioutbox.internal.store.sql.Connections.LocalTransaction;

/**
 * How a claim keeps other claims away from its partitions, from the read to the release. One thread uses it, for one claim:
 *
 * <pre>
 *   reserve ─► read the queues ─► endRead ─► prove, in each transaction of a settlement ─► beginChange ─► release
 * </pre>
 *
 * <p>Claims of all kinds respect each other. {@link ClaimStore} creates reservations.
 */
public interface Reservation {

    String destination();

    /**
     * Reserves partitions with waiting messages. Leaves the connection in a transaction that plans by index, in which the
     * queues are read.
     *
     * @param after the partition that was served last
     * @throws Exception what an {@link Owner} has thrown
     */
    Partitions reserve(Connection connection, long after, ClaimLimits limits) throws Exception;

    /** Whether a row that the claim has read may be locked or settled by another transaction. */
    boolean mustProbe(Row row);

    /**
     * Whether the partitions are reserved by what stands in them and not by a lock. Other claims do not even find them, and a
     * wake-up for them is lost. And a row that is locked is not in doubt: another claim settles it, which has lost its lease.
     */
    boolean hidesPartitions();

    /** Ends the read of the queues. */
    void endRead(Connection connection) throws SQLException;

    /**
     * Proves that no other claim has taken the partitions, and prevents that until the caller's JTA transaction ends.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0312 if another claim has taken one of them
     */
    void prove();

    /** Begins a change of rows by the claim. Throws an exception if another claim has taken a partition. */
    void beginChange(Connection connection) throws SQLException;

    /** Gives the partitions back, and closes the claim's transaction. */
    void release(LocalTransaction transaction) throws SQLException;
}
