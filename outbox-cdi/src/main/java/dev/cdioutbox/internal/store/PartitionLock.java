package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Locks partitions in which something waits, as many as are wanted and no more: the others are for other nodes. */
final class PartitionLock {
    private final String application;
    private final Dialect dialect;
    private final PartitionStatements sql;
    private final Partitions partitions;

    PartitionLock(String application, String prefix, Dialect dialect, Partitions partitions) {
        this.application = application;
        this.dialect = dialect;
        this.sql = new PartitionStatements(prefix, dialect, dialect.tellsWriters());
        this.partitions = partitions;
    }

    Locked lock(Connection connection, Floors floors, String destination, int afterQueue, int most)
            throws SQLException {
        if (dialect.locksWhatItReturns()) {
            return select(connection, sql.lockPartitions, floors, destination, afterQueue, most);
        }
        Locked candidates = candidates(connection, floors, destination, afterQueue);
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
    Locked candidates(Connection connection, Floors floors, String destination, int afterQueue) throws SQLException {
        return select(connection, sql.candidates, floors, destination, afterQueue, Integer.MAX_VALUE);
    }

    private Locked select(
            Connection connection, String statement, Floors floors, String destination, int afterQueue, int most)
            throws SQLException {
        List<Integer> partitions = new ArrayList<>();
        List<Integer> withDueGates = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(statement)) {
            int parameter = 0;
            String dueAfter = dialect.tellsWriters() ? dueAfterByNumber(floors, destination) : null;
            if (dueAfter != null) {
                select.setString(++parameter, dueAfter);
            }
            select.setString(++parameter, application);
            select.setString(++parameter, destination);
            if (dueAfter != null) {
                select.setString(++parameter, floorsByNumber(floors, destination));
                select.setString(++parameter, numbersWithReturned(floors, destination));
                select.setString(++parameter, dueAfter);
            }
            select.setInt(++parameter, afterQueue);
            select.setInt(++parameter, most);
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

    private String floorsByNumber(Floors floors, String destination) {
        return Survey.array(IntStream.range(0, partitions.count(destination))
                .mapToObj(number -> floors.of(partitions.queueId(destination, number)))
                .toList());
    }

    private String dueAfterByNumber(Floors floors, String destination) {
        return Survey.array(IntStream.range(0, partitions.count(destination))
                .mapToObj(number -> floors.dueAfter(partitions.queueId(destination, number)))
                .toList());
    }

    private String numbersWithReturned(Floors floors, String destination) {
        Set<Long> returned = floors.queuesWithReturned();
        return Survey.array(IntStream.range(0, partitions.count(destination))
                .filter(number -> returned.contains((long) partitions.queueId(destination, number)))
                .boxed()
                .toList());
    }

    /** The ids of partitions, in the order in which they are to be served. */
    record Locked(List<Integer> partitions, List<Integer> withDueGates) {

        Set<Long> queues() {
            return partitions.stream().map(Integer::longValue).collect(Collectors.toSet());
        }

        Locked only(List<Integer> some) {
            return new Locked(some, withDueGates.stream().filter(some::contains).toList());
        }
    }
}
