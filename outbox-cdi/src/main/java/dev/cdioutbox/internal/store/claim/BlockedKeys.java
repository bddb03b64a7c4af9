package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

import dev.cdioutbox.internal.store.claim.PartitionClaim.Partitions;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.sql.Texts;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/**
 * Finds the due blocked keys for a claim, and maintains them while the claim holds their partitions. A key is blocked
 * while its next message waits for a retry or for an operator:
 *
 * <ol>
 *   <li>The transaction that charges the message inserts the row of the key, and moves the message to the queue whose id is
 *       that of the row. The row says when the queue is due: at the retry, or never.
 *   <li>Followers stay in the partition until a claim reads some. It sends none of them, and the maintenance moves them.
 *   <li>Claims read a due queue beside the partition. A retry or discard of its first message makes it due at once.
 *   <li>When a claim has emptied the queue, or found it empty, the maintenance deletes the row.
 * </ol>
 *
 * <p>Until then, the key's messages are sent from its queue only. Whoever adds a message to the queue, or deletes the
 * row, first locks the row. Otherwise one node could delete it while another, which may have lost its claim, adds a
 * message that no claim would find. The maintenance does not wait for row locks: what a delivery or an operator has
 * locked is left to a later claim. Thread-safe.
 */
final class BlockedKeys {
    /** In rows of a partition: the scan of one maintenance for followers. */
    static final int ROWS_SCANNED_FOR_FOLLOWERS = 1000;

    /** In blocked keys: the most that one claim reads. */
    private static final int MAX_SERVED_PER_CLAIM = 64;

    private final Dialect dialect;
    private final ReadWatermark watermark;
    /** Of one partition. */
    private final String due;

    /** By the number of partitions. */
    private final Texts<Integer> dues;

    private final String removeEmpty;
    private final String correctDueTime;
    private final String followers;
    private final String lockKeys;
    private final String emptyKeys;
    private final String lockFollowers;
    private final String moveFollowers;

    private final Set<Long> stuck = ConcurrentHashMap.newKeySet();

    BlockedKeys(Sql sql, ReadWatermark watermark) {
        this.dialect = sql.dialect();
        this.watermark = watermark;
        // In a query of its own, since Oracle and SQL Server refuse an order within the parentheses of a union.
        due = sql.of("""
                SELECT * FROM (SELECT id, partition_id, message_key FROM {blocked_key}
                  WHERE partition_id = ? AND due_at <= {now}
                  ORDER BY partition_id, due_at FETCH FIRST ? ROWS ONLY) part""");
        dues = new Texts<>(partitions -> String.join(" UNION ALL ", Collections.nCopies(partitions, due)));
        lockKeys = sql.of("""
                SELECT id FROM {blocked_key} /*! FORCE INDEX (PRIMARY) */ WHERE id IN (:keys) FOR UPDATE SKIP LOCKED""");
        emptyKeys = sql.of("""
                SELECT g.id FROM {blocked_key} g WHERE g.id IN (:keys)
                  AND NOT EXISTS (SELECT 1 FROM {queue} q WHERE q.queue_id = g.id)""");
        removeEmpty = sql.of("""
                DELETE FROM {blocked_key} WHERE id = :key
                  AND NOT EXISTS (SELECT 1 FROM {queue} q WHERE q.queue_id = {blocked_key}.id)""");
        // An operator may have changed messages between the query and the lock: then the queue is empty, or its head
        // is due at once.
        correctDueTime = sql.of("""
                UPDATE {blocked_key} SET due_at = (
                  SELECT CASE WHEN q.status = {ABANDONED} THEN {never} ELSE COALESCE(q.available_at, {now}) END
                  FROM {queue} q WHERE q.queue_id = {blocked_key}.id ORDER BY q.queue_id, q.seq FETCH FIRST 1 ROWS ONLY)
                WHERE id = :key AND EXISTS (SELECT 1 FROM {queue} n WHERE n.queue_id = {blocked_key}.id)""");
        followers = sql.with("most", ROWS_SCANNED_FOR_FOLLOWERS).of("""
                SELECT s.seq, g.id FROM (
                  SELECT q.seq, q.queue_id, m.message_key, m.not_before
                  FROM {queue} q /*! FORCE INDEX ({index}queue_order) */ LEFT JOIN {message} m /*! FORCE INDEX (PRIMARY) */ ON m.seq = q.seq
                  WHERE q.queue_id = :partition AND q.seq > :after ORDER BY q.queue_id, q.seq FETCH FIRST {most} ROWS ONLY) s
                JOIN {blocked_key} g ON g.partition_id = s.queue_id AND g.message_key = s.message_key
                WHERE s.not_before IS NULL ORDER BY s.seq""");
        lockFollowers = sql.of("""
                SELECT seq FROM {queue} /*! FORCE INDEX (PRIMARY) */
                WHERE COALESCE(queue_id, 0) = :partition AND seq IN (:sequences) FOR UPDATE SKIP LOCKED""");
        moveFollowers = sql.of("""
                UPDATE {queue} /*! FORCE INDEX (PRIMARY) */ SET queue_id = :key
                WHERE COALESCE(queue_id, 0) = :partition AND seq IN (:sequences)""");
    }

    /** The queues of these partitions and of their due blocked keys, except keys in doubt, partition by partition. */
    List<Queue> queues(Connection connection, Partitions partitions, Batch batch) throws SQLException {
        Map<Long, List<Long>> due = due(connection, partitions.withDueBlockedKeys(), batch.keysInDoubt());
        List<Queue> queues = new ArrayList<>();
        for (long partition : partitions.ids()) {
            List<Long> keys = due.getOrDefault(partition, List.of());
            long share = keys.isEmpty() ? Long.MAX_VALUE : batch.limits().bytes() / (keys.size() + 1);
            List<Queue> ofPartition = new ArrayList<>();
            keys.forEach(key -> ofPartition.add(new Queue(key, partition, 0, share)));
            ofPartition.add(new Queue(partition, partition, watermark.of(partition), share));
            // Otherwise the first queues could fill every batch.
            Collections.rotate(ofPartition, ThreadLocalRandom.current().nextInt(ofPartition.size()));
            queues.addAll(ofPartition);
        }
        return queues;
    }

    /**
     * The ids of the longest due blocked keys of each of these partitions. The partitions share the number of blocked keys that
     * a claim serves.
     */
    private Map<Long, List<Long>> due(Connection connection, List<Long> partitions, Set<String> inDoubt)
            throws SQLException {
        int most = Math.max(1, MAX_SERVED_PER_CLAIM / partitions.size());
        List<Object> parameters = new ArrayList<>();
        for (long partition : partitions) {
            parameters.add(partition);
            parameters.add(most + inDoubt.size());
        }
        Map<Long, List<Long>> served = new HashMap<>();
        JdbcStatement.of(connection, dues.of(partitions.size()))
                .setRepeated(parameters)
                .forEach(row -> {
                    List<Long> ofPartition = served.computeIfAbsent(row.getLong(2), partition -> new ArrayList<>());
                    if (!inDoubt.contains(dialect.decodeText(row.getString(3))) && ofPartition.size() < most) {
                        ofPartition.add(row.getLong(1));
                    }
                });
        return served;
    }

    /**
     * The partitions in which the last maintenance could move no follower, because they are locked, or come after too many
     * rows in doubt.
     */
    Set<Long> stuck() {
        return Set.copyOf(stuck);
    }

    /**
     * Does the maintenance; the caller commits.
     *
     * @return whether the next claim may read other messages than the last one
     */
    boolean maintain(Connection connection, Maintenance found) throws SQLException {
        boolean changed = false;
        for (long blockedKey : empty(connection, found.perhapsEmpty())) {
            changed |= JdbcStatement.of(connection, removeEmpty)
                            .set("key", blockedKey)
                            .update()
                    > 0;
        }
        for (long blockedKey : lockKeys(connection, found.notYetDue())) {
            changed |= JdbcStatement.of(connection, correctDueTime)
                            .set("key", blockedKey)
                            .update()
                    > 0;
        }
        for (long partition : found.partitionsToClear()) {
            changed |= moveFollowers(connection, partition);
        }
        return changed;
    }

    /**
     * Locks blocked keys, and returns those without messages. By a query, since MariaDB's DELETE would wait for a
     * message in doubt. It comes after the locks: a transaction that has added a message has ended by then.
     */
    private List<Long> empty(Connection connection, Set<Long> blockedKeys) throws SQLException {
        Set<Long> locked = lockKeys(connection, blockedKeys);
        return locked.isEmpty()
                ? List.of()
                : JdbcStatement.of(connection, emptyKeys).set("keys", locked).numbers();
    }

    /**
     * Moves followers to the queues of their blocked keys, lowest sequence first, so that no lower message of a key
     * stays in the partition.
     *
     * @return whether the next claim may read other messages: followers have left the partition, or none could leave, and
     *     from now on claims read behind them
     */
    private boolean moveFollowers(Connection connection, long partition) throws SQLException {
        Map<Long, List<Long>> byBlockedKey = new TreeMap<>();
        JdbcStatement.of(connection, followers)
                .set("partition", partition)
                .set("after", watermark.of(partition))
                .forEach(row -> byBlockedKey
                        .computeIfAbsent(row.getLong(2), blockedKey -> new ArrayList<>())
                        .add(row.getLong(1)));
        int moved = 0;
        byBlockedKey.keySet().retainAll(lockKeys(connection, byBlockedKey.keySet()));
        for (Map.Entry<Long, List<Long>> ofKey : byBlockedKey.entrySet()) {
            moved += moveFollowersOf(connection, partition, ofKey.getKey(), ofKey.getValue());
        }
        if (moved == 0) {
            return stuck.add(partition);
        }
        stuck.remove(partition);
        return true;
    }

    private int moveFollowersOf(Connection connection, long partition, long blockedKey, List<Long> sequences)
            throws SQLException {
        Set<Long> free = new HashSet<>(JdbcStatement.of(connection, lockFollowers)
                .set("partition", partition)
                .set("sequences", sequences)
                .numbers());
        List<Long> moved = sequences.stream().takeWhile(free::contains).toList();
        return moved.isEmpty()
                ? 0
                : JdbcStatement.of(connection, moveFollowers)
                        .set("key", blockedKey)
                        .set("partition", partition)
                        .set("sequences", moved)
                        .update();
    }

    /** Locks blocked keys and returns their ids, sorted. */
    private Set<Long> lockKeys(Connection connection, Set<Long> blockedKeys) throws SQLException {
        return blockedKeys.isEmpty()
                ? Set.of()
                : new TreeSet<>(JdbcStatement.of(connection, lockKeys)
                        .set("keys", blockedKeys)
                        .numbers());
    }

    /**
     * What a claim has found to do to blocked keys.
     *
     * @param perhapsEmpty due blocked keys whose messages were all in the batch, or that had none
     * @param notYetDue due blocked keys whose first message is not due
     * @param partitionsToClear partitions with followers of blocked keys
     */
    record Maintenance(Set<Long> perhapsEmpty, Set<Long> notYetDue, Set<Long> partitionsToClear) {
        boolean isEmpty() {
            return perhapsEmpty.isEmpty() && notYetDue.isEmpty() && partitionsToClear.isEmpty();
        }
    }
}
