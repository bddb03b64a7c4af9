package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/**
 * Does a {@link MaintenancePlan} while the claim holds the partitions. The life of a blocked key stands at the package.
 *
 * <p>Each step first locks the rows of the blocked keys, and so does everybody who adds a message to their queues. Otherwise
 * one node could delete a row while another, which may have lost its claim, adds a message that no claim would find. Rows
 * that a delivery or an operator has locked are left to a later claim. Thread-safe.
 */
final class BlockedKeyMaintenance {
    private final PartitionFollowers followers;
    private final Set<Long> stuck = ConcurrentHashMap.newKeySet();

    private final String lock;
    private final String findEmpty;
    private final String deleteEmpty;
    private final String correctDueTime;

    BlockedKeyMaintenance(Sql sql, ReadWatermark watermark) {
        followers = new PartitionFollowers(sql, watermark);
        lock = sql.of("""
                SELECT id FROM {blocked_key} /*! FORCE INDEX (PRIMARY) */ WHERE id IN (:keys) FOR UPDATE SKIP LOCKED""");
        findEmpty = sql.of("""
                SELECT g.id FROM {blocked_key} g WHERE g.id IN (:keys)
                  AND NOT EXISTS (SELECT 1 FROM {queue} q WHERE q.queue_id = g.id)""");
        deleteEmpty = sql.of("""
                DELETE FROM {blocked_key} WHERE id = :key
                  AND NOT EXISTS (SELECT 1 FROM {queue} q WHERE q.queue_id = {blocked_key}.id)""");
        // An operator may have changed messages between the query and the lock: then the queue is empty, or its head
        // is due at once.
        correctDueTime = sql.of("""
                UPDATE {blocked_key} SET due_at = (
                  SELECT CASE WHEN q.status = {ABANDONED} THEN {never} ELSE COALESCE(q.available_at, {now}) END
                  FROM {queue} q WHERE q.queue_id = {blocked_key}.id ORDER BY q.queue_id, q.seq FETCH FIRST 1 ROWS ONLY)
                WHERE id = :key AND EXISTS (SELECT 1 FROM {queue} n WHERE n.queue_id = {blocked_key}.id)""");
    }

    /**
     * Does what is planned; the caller commits.
     *
     * @return whether the next claim may read other messages than the last one
     */
    boolean maintain(Connection connection, MaintenancePlan plan) throws SQLException {
        int changed = deleteEmpty(connection, plan.perhapsEmpty()) + correctDueTimes(connection, plan.notYetDue());
        boolean isChanged = changed > 0;
        for (long partition : plan.partitionsToClear()) {
            isChanged |= clear(connection, partition);
        }
        return isChanged;
    }

    private int deleteEmpty(Connection connection, Set<Long> blockedKeys) throws SQLException {
        Set<Long> locked = lock(connection, blockedKeys);
        if (locked.isEmpty()) {
            return 0;
        }
        // After the locks: a transaction that has added a message has ended by then. And in a query, since MariaDB's
        // DELETE would wait for a message in doubt.
        List<Long> empty =
                JdbcStatement.of(connection, findEmpty).set("keys", locked).numbers();
        return updateEach(connection, deleteEmpty, empty);
    }

    private int correctDueTimes(Connection connection, Set<Long> blockedKeys) throws SQLException {
        return updateEach(connection, correctDueTime, lock(connection, blockedKeys));
    }

    /**
     * Moves the followers of blocked keys out of a partition.
     *
     * @return whether the next claim may read other messages: some have left, or from now on claims read behind them
     */
    private boolean clear(Connection connection, long partition) throws SQLException {
        Map<Long, List<Long>> byBlockedKey = followers.find(connection, partition);
        int moved = 0;
        for (long blockedKey : lock(connection, byBlockedKey.keySet())) {
            moved += followers.move(connection, partition, byBlockedKey.get(blockedKey), blockedKey);
        }
        if (moved == 0) {
            return stuck.add(partition);
        }
        stuck.remove(partition);
        return true;
    }

    /**
     * The partitions in which the last maintenance could move no follower, because they are locked, or come after too many
     * rows in doubt.
     */
    Set<Long> stuck() {
        return Set.copyOf(stuck);
    }

    /** @return those that were free, sorted */
    private Set<Long> lock(Connection connection, Set<Long> blockedKeys) throws SQLException {
        return blockedKeys.isEmpty()
                ? Set.of()
                : new TreeSet<>(JdbcStatement.of(connection, lock)
                        .set("keys", blockedKeys)
                        .numbers());
    }

    private static int updateEach(Connection connection, String text, Collection<Long> blockedKeys)
            throws SQLException {
        int updated = 0;
        for (long blockedKey : blockedKeys) {
            updated += JdbcStatement.of(connection, text).set("key", blockedKey).update();
        }
        return updated;
    }
}
