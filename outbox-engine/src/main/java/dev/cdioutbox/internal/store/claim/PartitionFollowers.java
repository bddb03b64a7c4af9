package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/** The messages in a partition whose key is blocked, and which belong into the queue of that key. Thread-safe. */
final class PartitionFollowers {
    /** In rows of a partition: the most that one search scans. */
    static final int ROWS_SCANNED = 1000;

    private final ReadWatermark watermark;
    private final String find;
    private final String lock;
    private final String move;

    PartitionFollowers(Sql sql, ReadWatermark watermark) {
        this.watermark = watermark;
        find = sql.with("most", ROWS_SCANNED).of("""
                SELECT s.seq, g.id FROM (
                  SELECT q.seq, q.queue_id, m.message_key, m.not_before
                  FROM {queue} q /*! FORCE INDEX ({index}queue_order) */ LEFT JOIN {message} m /*! FORCE INDEX (PRIMARY) */ ON m.seq = q.seq
                  WHERE q.queue_id = :partition AND q.seq > :after ORDER BY q.queue_id, q.seq FETCH FIRST {most} ROWS ONLY) s
                JOIN {blocked_key} g ON g.partition_id = s.queue_id AND g.message_key = s.message_key
                WHERE s.not_before IS NULL ORDER BY s.seq""");
        lock = sql.of("""
                SELECT seq FROM {queue} /*! FORCE INDEX (PRIMARY) */
                WHERE COALESCE(queue_id, 0) = :partition AND seq IN (:sequences) FOR UPDATE SKIP LOCKED""");
        move = sql.of("""
                UPDATE {queue} /*! FORCE INDEX (PRIMARY) */ SET queue_id = :key
                WHERE COALESCE(queue_id, 0) = :partition AND seq IN (:sequences)""");
    }

    /** The first followers by the ids of their blocked keys, each list in order. */
    Map<Long, List<Long>> find(Connection connection, long partition) throws SQLException {
        Map<Long, List<Long>> byBlockedKey = new TreeMap<>();
        JdbcStatement.of(connection, find)
                .set("partition", partition)
                .set("after", watermark.of(partition))
                .forEach(row -> byBlockedKey
                        .computeIfAbsent(row.getLong("id"), blockedKey -> new ArrayList<>())
                        .add(row.getLong("seq")));
        return byBlockedKey;
    }

    /**
     * Moves followers of one key to its queue, up to the first one that is locked: no lower message of a key may stay behind in
     * the partition.
     *
     * @param blockedKey its row is locked
     * @return how many it has moved
     */
    int move(Connection connection, long partition, List<Long> sequences, long blockedKey) throws SQLException {
        Set<Long> locked = new HashSet<>(JdbcStatement.of(connection, lock)
                .set("partition", partition)
                .set("sequences", sequences)
                .numbers());
        List<Long> movable = sequences.stream().takeWhile(locked::contains).toList();
        return movable.isEmpty()
                ? 0
                : JdbcStatement.of(connection, move)
                        .set("key", blockedKey)
                        .set("partition", partition)
                        .set("sequences", movable)
                        .update();
    }
}
