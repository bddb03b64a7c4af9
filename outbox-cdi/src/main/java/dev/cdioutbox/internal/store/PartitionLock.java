package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Locks partitions in which something waits, as many as are wanted and no more: the others are for other nodes. */
final class PartitionLock {
    private final String application;
    private final Statements sql;

    PartitionLock(String application, Statements sql) {
        this.application = application;
        this.sql = sql;
    }

    Locked lock(Connection connection, String destination, int afterQueue, int most) throws SQLException {
        if (sql.dialect().locksWhatItReturns()) {
            return select(connection, sql.lockPartitions, destination, afterQueue, most);
        }
        Locked candidates = candidates(connection, destination, afterQueue);
        List<Integer> locked = new ArrayList<>();
        try (PreparedStatement lock = connection.prepareStatement(sql.lockPartition)) {
            for (int i = 0; i < candidates.partitions().size() && locked.size() < most; i++) {
                lock.setInt(1, candidates.partitions().get(i));
                try (ResultSet row = lock.executeQuery()) {
                    if (row.next()) {
                        locked.add(row.getInt(1));
                    }
                }
            }
        }
        return candidates.only(locked);
    }

    /** What could be locked. */
    Locked candidates(Connection connection, String destination, int afterQueue) throws SQLException {
        return select(connection, sql.candidates, destination, afterQueue, Integer.MAX_VALUE);
    }

    private Locked select(Connection connection, String statement, String destination, int afterQueue, int most)
            throws SQLException {
        List<Integer> partitions = new ArrayList<>();
        List<Integer> withDueGates = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(statement)) {
            select.setString(1, application);
            select.setString(2, destination);
            select.setInt(3, afterQueue);
            select.setInt(4, most);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    partitions.add(rows.getInt(1));
                    if (rows.getInt(2) == 1) {
                        withDueGates.add(rows.getInt(1));
                    }
                }
            }
        }
        return new Locked(partitions, withDueGates);
    }

    /** The ids of partitions, in the order in which they are to be served. */
    record Locked(List<Integer> partitions, List<Integer> withDueGates) {

        Locked only(List<Integer> some) {
            return new Locked(some, withDueGates.stream().filter(some::contains).toList());
        }
    }
}
