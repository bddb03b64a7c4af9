package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.SQLException;

/** Takes partitions and reads what is due in them. What has to be put in order there first is a transaction of its own. */
final class Claims {
    private final Statements sql;
    private final PartitionLock partitionLock;
    private final Gates gates;

    Claims(String application, Statements sql, Gates gates) {
        this.sql = sql;
        this.partitionLock = new PartitionLock(application, sql);
        this.gates = gates;
    }

    Claim take(OwnTransaction transaction, String destination, int afterQueue, ClaimLimits limits) throws SQLException {
        Connection connection = transaction.connection();
        PartitionLock.Locked locked = partitionLock.lock(connection, destination, afterQueue, limits.partitions());
        QueueReader reader = read(connection, locked, limits);
        boolean tended = false;
        if (!reader.tending().isEmpty()) {
            tended = gates.tend(connection, reader.tending());
            // That gives the partitions back too, and anybody may have them next: begin anew.
            transaction.commit();
            locked = partitionLock.lock(connection, destination, afterQueue, limits.partitions());
            reader = read(connection, locked, limits);
        }
        return new Claim(transaction, locked.partitions(), reader, tended);
    }

    private QueueReader read(Connection connection, PartitionLock.Locked locked, ClaimLimits limits)
            throws SQLException {
        QueueReader reader = new QueueReader(sql, limits, locked, gates);
        reader.read(connection);
        return reader;
    }
}
