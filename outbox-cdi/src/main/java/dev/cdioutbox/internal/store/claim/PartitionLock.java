package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/** Locks partitions with waiting messages, up to a limit, and leaves the others to other nodes. */
public final class PartitionLock {
    private final String application;
    private final Dialect dialect;
    private final PartitionStatements sql;
    private final PartitionIds partitions;
    private final ReadWatermark watermark;

    public PartitionLock(
            String application, String prefix, Dialect dialect, PartitionIds partitions, ReadWatermark watermark) {
        this.application = application;
        this.dialect = dialect;
        this.sql = new PartitionStatements(prefix, dialect, watermark.condition());
        this.partitions = partitions;
        this.watermark = watermark;
    }

    LockedPartitions lock(Connection connection, String destination, int afterQueue, int most) throws SQLException {
        if (dialect.locksOnlyReturnedRows()) {
            return select(connection, sql.lockPartitions, destination, afterQueue, most);
        }
        LockedPartitions candidates = claimablePartitions(connection, destination, afterQueue);
        List<Integer> locked = new ArrayList<>();
        for (int i = 0; i < candidates.partitions().size() && locked.size() < most; i++) {
            int candidate = candidates.partitions().get(i);
            if (JdbcStatement.of(connection, sql.lockPartition, candidate).number() != null) {
                locked.add(candidate);
            }
        }
        return candidates.only(locked);
    }

    /** The partitions with waiting messages, locked or not. */
    LockedPartitions claimablePartitions(Connection connection, String destination, int afterQueue)
            throws SQLException {
        return select(connection, sql.claimable, destination, afterQueue, Integer.MAX_VALUE);
    }

    private LockedPartitions select(
            Connection connection, String statement, String destination, int afterQueue, int most) throws SQLException {
        List<Integer> partitions = new ArrayList<>();
        List<Integer> withDueBlockedKeys = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(statement)) {
            int parameter = 0;
            select.setString(++parameter, application);
            select.setString(++parameter, destination);
            parameter = watermark.bind(select, parameter, this.partitions.queueIds(destination));
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

    /** The ids of partitions, in the order of service. */
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
