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

    List<Integer> lock(Connection connection, String destination, int afterQueue, int most) throws SQLException {
        if (sql.dialect().locksWhatItReturns()) {
            return select(connection, sql.lockPartitions, destination, afterQueue, most);
        }
        List<Integer> locked = new ArrayList<>();
        List<Integer> candidates = select(connection, sql.candidates, destination, afterQueue, Integer.MAX_VALUE);
        try (PreparedStatement lock = connection.prepareStatement(sql.lockPartition)) {
            for (int i = 0; i < candidates.size() && locked.size() < most; i++) {
                lock.setInt(1, candidates.get(i));
                locked.addAll(ids(lock));
            }
        }
        return locked;
    }

    private List<Integer> select(Connection connection, String statement, String destination, int afterQueue, int most)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(statement)) {
            select.setString(1, application);
            select.setString(2, destination);
            select.setInt(3, afterQueue);
            select.setInt(4, most);
            return ids(select);
        }
    }

    private static List<Integer> ids(PreparedStatement select) throws SQLException {
        List<Integer> ids = new ArrayList<>();
        try (ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                ids.add(rows.getInt(1));
            }
        }
        return ids;
    }
}
