package dev.cdioutbox.internal.store.blockedkey;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
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
 * The rows of blocked keys, and the moves of the followers into the queues of their keys. The settlement and operators set when a key is
 * due; claims read and maintain the queues under the locks of their partitions. Maintenance does not wait for row locks:
 * the next claim handles rows that a delivery or an operator locks now.
 */
public final class BlockedKeyTable {
    /** In rows of a partition: the scan for later messages of blocked keys, in one transaction. */
    public static final int ROWS_SCANNED_FOR_FOLLOWERS = 1000;

    /** In blocked keys: the most that one claim reads. */
    private static final int MAX_SERVED_PER_CLAIM = 64;

    /** In seconds. Queue maintenance locks blocked keys for a moment only. */
    private static final int TIMEOUT_SECONDS = 30;

    private final Dialect dialect;
    private final ReadWatermark watermark;
    private final String setDue;
    private final String insert;
    private final String find;
    private final String partitionOf;
    private final String due;
    private final String removeEmpty;
    private final String correctDueTime;
    private final String followers;
    // In these, %s is in the place of a list of ids or sequences.
    private final String lockKeys;
    private final String lockFollowers;
    private final String moveFollowers;

    public BlockedKeyTable(String prefix, Dialect dialect, ReadWatermark watermark) {
        this.dialect = dialect;
        this.watermark = watermark;
        String message = prefix + "message";
        String blockedKey = prefix + "blocked_key";
        // MySQL would take the index of due times, and sort all messages of the queue.
        String inQueue = dialect.byIndex(message, dialect.indexPrefix(prefix) + "message_queue");
        String dueAt = dialect.neverDue().equals("NULL")
                ? dialect.nowPlusMillis()
                : "COALESCE(%s, %s)".formatted(dialect.nowPlusMillis(), dialect.neverDue());
        setDue = "UPDATE %s SET due_at = %s WHERE id = ?".formatted(blockedKey, dueAt);
        insert = "INSERT INTO " + blockedKey + " (due_at, partition_id, message_key) "
                + dialect.insertedRows(dueAt + ", ?, ?", 1);
        find = "SELECT id FROM %s WHERE partition_id = ? AND message_key = ?".formatted(blockedKey);
        partitionOf = "SELECT partition_id FROM " + blockedKey + " WHERE id = ?";
        due = dialect.unionPart("""
                SELECT id, partition_id, message_key FROM %s WHERE partition_id = ? AND due_at <= %s
                 ORDER BY partition_id, due_at %s""".formatted(blockedKey, dialect.now(), dialect.limit("?")));
        lockKeys = dialect.lockSkipLocked("id", dialect.byPrimaryKey(blockedKey), "id IN (%s)");
        removeEmpty = "DELETE FROM %1$s WHERE id = ? AND NOT EXISTS (SELECT 1 FROM %2$s m WHERE m.queue_id = %1$s.id)"
                .formatted(blockedKey, message);
        // An operator may have changed messages between the query and the lock: then the queue is empty, or its head
        // is due at once.
        correctDueTime = """
                UPDATE %1$s SET due_at = (SELECT CASE WHEN m.status = 'ABANDONED' THEN %4$s ELSE COALESCE(m.available_at, %5$s) END
                  FROM %2$s m WHERE m.queue_id = %1$s.id ORDER BY m.queue_id, m.seq %3$s)
                WHERE id = ? AND EXISTS (SELECT 1 FROM %2$s n WHERE n.queue_id = %1$s.id)""".formatted(blockedKey, message, dialect.limit("1"), dialect.neverDue(), dialect.now());
        followers = """
                SELECT s.seq, g.id FROM (SELECT seq, queue_id, message_key, not_before FROM %s WHERE queue_id = ? AND seq > ?
                  ORDER BY queue_id, seq %s) s
                JOIN %s g ON g.partition_id = s.queue_id AND g.message_key = s.message_key
                WHERE s.not_before IS NULL ORDER BY s.seq""".formatted(inQueue, dialect.limit(String.valueOf(ROWS_SCANNED_FOR_FOLLOWERS)), blockedKey);
        String queue = dialect.withoutIndex("queue_id");
        lockFollowers = dialect.lockSkipLocked("seq", dialect.byPrimaryKey(message), queue + " = ? AND seq IN (%s)");
        moveFollowers =
                "UPDATE " + dialect.byPrimaryKey(message) + " SET queue_id = ? WHERE " + queue + " = ? AND seq IN (%s)";
    }

    /**
     * Sets the due time of a blocked key. Locks the row, if it exists, so that no other transaction removes it.
     *
     * @param delay the time from now; null for never
     * @return whether the row exists
     */
    public boolean setDue(Connection connection, long blockedKey, Duration delay) throws SQLException {
        return JdbcStatement.of(connection, setDue, millis(delay), blockedKey)
                        .within(TIMEOUT_SECONDS)
                        .update()
                == 1;
    }

    /**
     * Blocks a key: finds or inserts its row, and sets the due time. No update by the key: without a match, some
     * databases would lock the index gap.
     *
     * @param key the key in its stored encoding
     * @param delay the time from now; null for never
     * @return the id of the key's queue
     */
    public long block(Connection connection, long partition, String key, Duration delay) throws SQLException {
        Long found = find(connection, partition, key);
        if (found != null && setDue(connection, found, delay)) {
            return found;
        }
        JdbcStatement.of(connection, insert, millis(delay), partition, key)
                .within(TIMEOUT_SECONDS)
                .update();
        return find(connection, partition, key);
    }

    private Long find(Connection connection, long partition, String key) throws SQLException {
        return JdbcStatement.of(connection, find, partition, key).number();
    }

    private static Long millis(Duration delay) {
        return delay == null ? null : delay.toMillis();
    }

    /** The partition of a blocked key, which exists as long as it has messages. */
    public long partitionOf(Connection connection, long blockedKey) throws SQLException {
        return JdbcStatement.of(connection, partitionOf, blockedKey).number();
    }

    /**
     * The longest due blocked keys of each of these partitions, except keys in doubt. The partitions share the number of
     * blocked keys that a claim serves.
     */
    public Map<Integer, List<BlockedKey>> due(
            Connection connection, Collection<Integer> partitions, Set<String> inDoubt) throws SQLException {
        int most = Math.max(1, MAX_SERVED_PER_CLAIM / partitions.size());
        List<Object> parameters = new ArrayList<>();
        for (int partition : partitions) {
            parameters.add(partition);
            parameters.add(most + inDoubt.size());
        }
        String select = String.join(" UNION ALL ", Collections.nCopies(partitions.size(), due));
        Map<Integer, List<BlockedKey>> served = new HashMap<>();
        JdbcStatement.of(connection, select, parameters.toArray()).forEach(row -> {
            BlockedKey key = new BlockedKey(row.getLong(1), dialect.decodeText(row.getString(3)));
            List<BlockedKey> ofPartition = served.computeIfAbsent(row.getInt(2), partition -> new ArrayList<>());
            if (!inDoubt.contains(key.key()) && ofPartition.size() < most) {
                ofPartition.add(key);
            }
        });
        return served;
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
            changed += JdbcStatement.of(connection, removeEmpty, blockedKey).update();
        }
        for (long blockedKey : lockKeys(connection, maintenance.notYetDue)) {
            changed += JdbcStatement.of(connection, correctDueTime, blockedKey).update();
        }
        for (int partition : maintenance.partitionsToClear) {
            int moved = moveFollowers(connection, partition);
            if (moved == 0) {
                maintenance.unmovedPartitions.add(partition);
            }
            changed += moved;
        }
        return changed > 0;
    }

    /**
     * Moves followers to the queues of their blocked keys, lowest sequence first, so that no lower message of a key
     * stays in the partition.
     */
    private int moveFollowers(Connection connection, int partition) throws SQLException {
        Map<Long, List<Long>> byBlockedKey = new TreeMap<>();
        JdbcStatement.of(connection, followers, partition, watermark.of(partition))
                .forEach(row -> byBlockedKey
                        .computeIfAbsent(row.getLong(2), blockedKey -> new ArrayList<>())
                        .add(row.getLong(1)));
        int changed = 0;
        byBlockedKey.keySet().retainAll(lockKeys(connection, byBlockedKey.keySet()));
        for (Map.Entry<Long, List<Long>> ofKey : byBlockedKey.entrySet()) {
            changed += moveFollowersOf(connection, partition, ofKey.getKey(), ofKey.getValue());
        }
        return changed;
    }

    private int moveFollowersOf(Connection connection, int partition, long blockedKey, List<Long> sequences)
            throws SQLException {
        Set<Long> free = new HashSet<>(JdbcStatement.of(connection, lockFollowers, partition, sequences)
                .numbers());
        List<Long> moved = sequences.stream().takeWhile(free::contains).toList();
        return moved.isEmpty()
                ? 0
                : JdbcStatement.of(connection, moveFollowers, blockedKey, partition, moved)
                        .update();
    }

    /** Locks blocked keys and returns their ids, sorted. */
    private Set<Long> lockKeys(Connection connection, Set<Long> blockedKeys) throws SQLException {
        return blockedKeys.isEmpty()
                ? Set.of()
                : new TreeSet<>(
                        JdbcStatement.of(connection, lockKeys, blockedKeys).numbers());
    }

    /**
     * The queue of a key that waits for a retry or an operator, or that still has messages to catch up.
     *
     * @param id the {@code queue_id} of the key's messages
     */
    public record BlockedKey(long id, String key) {}

    /** The maintenance that a claim has to do before it reads messages. Belongs to one claim. */
    public static final class PendingMaintenance {
        /** Due blocked keys without messages. */
        public final Set<Long> emptyKeys = new HashSet<>();

        /** Due blocked keys whose first message is not due. */
        public final Set<Long> notYetDue = new HashSet<>();

        /** Partitions with messages of blocked keys. */
        public final Set<Integer> partitionsToClear = new HashSet<>();

        /** Partitions to clear in which no message could be moved, for example since the rows are locked. */
        public final Set<Integer> unmovedPartitions = new HashSet<>();

        public boolean isEmpty() {
            return emptyKeys.isEmpty() && notYetDue.isEmpty() && partitionsToClear.isEmpty();
        }
    }
}
