package dev.cdioutbox.internal.store.blockedkey;

import java.sql.Connection;
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
import dev.cdioutbox.internal.store.sql.JdbcStatement;
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
        if (partitions.isEmpty()) {
            return List.of();
        }
        List<Object> parameters = new ArrayList<>();
        for (int partition : partitions) {
            parameters.add(partition);
            parameters.add(perPartition);
        }
        return JdbcStatement.of(connection, sql.due(partitions.size()), parameters.toArray())
                .list(row -> new BlockedKey(row.getLong(1), row.getInt(2), dialect.decodeText(row.getString(3))));
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
            changed += JdbcStatement.of(connection, sql.removeEmpty, blockedKey).update();
        }
        for (long blockedKey : lockKeys(connection, maintenance.notYetDue)) {
            changed +=
                    JdbcStatement.of(connection, sql.correctDueTime, blockedKey).update();
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
        return blockedKeys.isEmpty()
                ? Set.of()
                : new HashSet<>(
                        JdbcStatement.of(connection, sql.findEmpty, blockedKeys).numbers());
    }

    /**
     * Moves followers to the queues of their blocked keys, lowest sequence first, so that no lower message of a key
     * stays in the partition.
     */
    private int moveFollowers(Connection connection, int partition) throws SQLException {
        Map<Long, List<Long>> byBlockedKey = new TreeMap<>();
        JdbcStatement.of(connection, sql.followers, partition, watermark.of(partition))
                .forEach(row -> byBlockedKey
                        .computeIfAbsent(row.getLong(2), blockedKey -> new ArrayList<>())
                        .add(row.getLong(1)));
        int changed = 0;
        byBlockedKey.keySet().retainAll(lockKeys(connection, byBlockedKey.keySet()));
        for (Map.Entry<Long, List<Long>> followers : byBlockedKey.entrySet()) {
            changed += moveFollowersOf(connection, partition, followers.getKey(), followers.getValue());
        }
        return changed;
    }

    private int moveFollowersOf(Connection connection, int partition, long blockedKey, List<Long> followers)
            throws SQLException {
        Set<Long> free = new HashSet<>(JdbcStatement.of(connection, sql.lockFollowers, partition, followers)
                .numbers());
        List<Long> moved = followers.stream().takeWhile(free::contains).toList();
        return moved.isEmpty()
                ? 0
                : JdbcStatement.of(connection, sql.moveFollowers, blockedKey, partition, moved)
                        .update();
    }

    /** Locks blocked keys and returns their ids, sorted. */
    private Set<Long> lockKeys(Connection connection, Set<Long> blockedKeys) throws SQLException {
        return blockedKeys.isEmpty()
                ? Set.of()
                : new TreeSet<>(
                        JdbcStatement.of(connection, sql.lockKeys, blockedKeys).numbers());
    }
}
