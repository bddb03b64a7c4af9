package dev.cdioutbox.internal.store.blockedkey;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.SequenceInList;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/**
 * Reads blocked keys and maintains their queues. The caller holds the locks of their partitions. Does not wait for row
 * locks: the next claim handles rows that a delivery or an operator locks now.
 */
public final class BlockedKeyTable {
    /** In blocked keys: the most that one claim reads. */
    private static final int MAX_SERVED_PER_CLAIM = 64;

    private final RoundRobinStart roundRobinStart = new RoundRobinStart();
    private final BlockedKeyStatements sql;
    private final Dialect dialect;
    private final ReadWatermark watermark;

    public BlockedKeyTable(BlockedKeyStatements sql, Dialect dialect, ReadWatermark watermark) {
        this.sql = sql;
        this.dialect = dialect;
        this.watermark = watermark;
    }

    /**
     * The number of blocked keys that a claim reads in each partition, given the number of partitions with due ones.
     */
    public static int perPartition(int partitions) {
        return Math.max(1, MAX_SERVED_PER_CLAIM / Math.max(1, partitions));
    }

    public RoundRobinStart roundRobinStart() {
        return roundRobinStart;
    }

    /**
     * The longest due blocked keys of these partitions.
     *
     * @param perPartition the limit for each partition
     */
    public List<BlockedKey> due(Connection connection, Collection<Integer> partitions, int perPartition)
            throws SQLException {
        List<BlockedKey> due = new ArrayList<>();
        if (partitions.isEmpty()) {
            return due;
        }
        try (PreparedStatement select = connection.prepareStatement(sql.due(partitions.size()))) {
            int parameter = 0;
            for (int partition : partitions) {
                select.setInt(++parameter, partition);
                select.setInt(++parameter, perPartition);
            }
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    due.add(new BlockedKey(rows.getLong(1), rows.getInt(2), dialect.decodeText(rows.getString(3))));
                }
            }
        }
        return due;
    }

    /**
     * Does the maintenance; the caller commits before it reads messages. Records the partitions in which no message
     * could be moved.
     *
     * @return whether a row was changed
     */
    public boolean maintain(Connection connection, PendingMaintenance maintenance) throws SQLException {
        int changed = 0;
        for (long blockedKey : lockKeys(connection, maintenance.emptyKeys)) {
            // The statement checks again under the lock: a transaction that added a message has ended by now.
            changed += update(connection, sql.removeEmpty, blockedKey);
        }
        for (long blockedKey : lockKeys(connection, maintenance.notYetDue)) {
            changed += update(connection, sql.correctDueTime, blockedKey);
        }
        for (int partition : maintenance.partitionsToClear) {
            int moved = moveFollowers(connection, partition);
            if (moved == 0) {
                maintenance.lockedPartitions.add(partition);
            }
            changed += moved;
        }
        return changed > 0;
    }

    /** The blocked keys without messages. A query without locks, since a DELETE would wait for locked message rows. */
    public Set<Long> findEmpty(Connection connection, Set<Long> blockedKeys) throws SQLException {
        if (blockedKeys.isEmpty()) {
            return Set.of();
        }
        int parameters = SequenceInList.paddedCount(blockedKeys.size());
        try (PreparedStatement select = connection.prepareStatement(sql.findEmpty(parameters))) {
            bind(select, 0, List.copyOf(blockedKeys), parameters);
            return numbers(select);
        }
    }

    /**
     * Moves followers to the queues of their blocked keys, lowest sequence first, so that no lower message of a key
     * stays in the partition.
     */
    private int moveFollowers(Connection connection, int partition) throws SQLException {
        Map<Long, List<Long>> byBlockedKey = new TreeMap<>();
        try (PreparedStatement select = connection.prepareStatement(sql.followers)) {
            select.setInt(1, partition);
            select.setLong(2, watermark.of(partition));
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    byBlockedKey
                            .computeIfAbsent(rows.getLong(2), blockedKey -> new ArrayList<>())
                            .add(rows.getLong(1));
                }
            }
        }
        int changed = 0;
        byBlockedKey.keySet().retainAll(lockKeys(connection, byBlockedKey.keySet()));
        for (Map.Entry<Long, List<Long>> followers : byBlockedKey.entrySet()) {
            changed += moveFollowersOf(connection, partition, followers.getKey(), followers.getValue());
        }
        return changed;
    }

    private int moveFollowersOf(Connection connection, int partition, long blockedKey, List<Long> followers)
            throws SQLException {
        Set<Long> free = lockedFollowers(connection, partition, followers);
        List<Long> moved = followers.stream().takeWhile(free::contains).toList();
        if (moved.isEmpty()) {
            return 0;
        }
        int parameters = SequenceInList.paddedCount(moved.size());
        try (PreparedStatement update = connection.prepareStatement(sql.moveFollowers(parameters))) {
            update.setLong(1, blockedKey);
            update.setInt(2, partition);
            bind(update, 2, moved, parameters);
            return update.executeUpdate();
        }
    }

    private Set<Long> lockedFollowers(Connection connection, int partition, List<Long> followers) throws SQLException {
        int parameters = SequenceInList.paddedCount(followers.size());
        try (PreparedStatement select = connection.prepareStatement(sql.lockFollowers(parameters))) {
            select.setInt(1, partition);
            bind(select, 1, followers, parameters);
            return numbers(select);
        }
    }

    /** Locks blocked keys and returns their ids, sorted. */
    private Set<Long> lockKeys(Connection connection, Set<Long> blockedKeys) throws SQLException {
        if (blockedKeys.isEmpty()) {
            return Set.of();
        }
        int parameters = SequenceInList.paddedCount(blockedKeys.size());
        try (PreparedStatement select = connection.prepareStatement(sql.lockKeys(parameters))) {
            bind(select, 0, List.copyOf(blockedKeys), parameters);
            return new TreeSet<>(numbers(select));
        }
    }

    private static int update(Connection connection, String statement, long blockedKey) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(statement)) {
            update.setLong(1, blockedKey);
            return update.executeUpdate();
        }
    }

    private static void bind(PreparedStatement statement, int after, List<Long> numbers, int parameters)
            throws SQLException {
        for (int i = 0; i < parameters; i++) {
            statement.setLong(after + i + 1, numbers.get(Math.min(i, numbers.size() - 1)));
        }
    }

    private static Set<Long> numbers(PreparedStatement select) throws SQLException {
        Set<Long> numbers = new HashSet<>();
        try (ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                numbers.add(rows.getLong(1));
            }
        }
        return numbers;
    }
}
