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

/** Locks partitions with waiting messages, up to a limit: the others are left to other nodes. */
final class PartitionLock {
    private final String application;
    private final Dialect dialect;
    private final PartitionStatements sql;
    private final PartitionIds partitions;

    PartitionLock(String application, String prefix, Dialect dialect, PartitionIds partitions) {
        this.application = application;
        this.dialect = dialect;
        this.sql = new PartitionStatements(prefix, dialect, dialect.showsInFlightInserts());
        this.partitions = partitions;
    }

    LockedPartitions lock(
            Connection connection, ReadWatermarks watermarks, String destination, int afterQueue, int most)
            throws SQLException {
        if (dialect.locksOnlyReturnedRows()) {
            return select(connection, sql.lockPartitions, watermarks, destination, afterQueue, most);
        }
        LockedPartitions candidates = claimablePartitions(connection, watermarks, destination, afterQueue);
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

    /** The partitions that could be locked. */
    LockedPartitions claimablePartitions(
            Connection connection, ReadWatermarks watermarks, String destination, int afterQueue) throws SQLException {
        return select(connection, sql.claimable, watermarks, destination, afterQueue, Integer.MAX_VALUE);
    }

    private LockedPartitions select(
            Connection connection,
            String statement,
            ReadWatermarks watermarks,
            String destination,
            int afterQueue,
            int most)
            throws SQLException {
        List<Integer> partitions = new ArrayList<>();
        List<Integer> withDueBlockedKeys = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(statement)) {
            int parameter = 0;
            select.setString(++parameter, application);
            select.setString(++parameter, destination);
            if (dialect.showsInFlightInserts()) {
                select.setString(++parameter, watermarksByNumber(watermarks, destination));
                select.setString(++parameter, numbersWithRequeued(watermarks, destination));
            }
            select.setInt(++parameter, afterQueue);
            select.setInt(++parameter, most);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    partitions.add(rows.getInt(1));
                    if (rows.getInt(2) == 1) {
                        withDueBlockedKeys.add(rows.getInt(1));
                    }
                }
            }
        }
        return new LockedPartitions(partitions, withDueBlockedKeys);
    }

    private String watermarksByNumber(ReadWatermarks watermarks, String destination) {
        return WatermarkQueries.arrayLiteral(IntStream.range(0, partitions.count(destination))
                .mapToObj(number -> watermarks.readWatermark(partitions.queueId(destination, number)))
                .toList());
    }

    private String numbersWithRequeued(ReadWatermarks watermarks, String destination) {
        Set<Long> returned = watermarks.partitionsWithRequeued();
        return WatermarkQueries.arrayLiteral(IntStream.range(0, partitions.count(destination))
                .filter(number -> returned.contains((long) partitions.queueId(destination, number)))
                .boxed()
                .toList());
    }

    /** The ids of partitions, in the order in which they are served. */
    record LockedPartitions(List<Integer> partitions, List<Integer> withDueBlockedKeys) {

        Set<Long> queues() {
            return partitions.stream().map(Integer::longValue).collect(Collectors.toSet());
        }

        LockedPartitions only(List<Integer> some) {
            return new LockedPartitions(
                    some, withDueBlockedKeys.stream().filter(some::contains).toList());
        }
    }
}
