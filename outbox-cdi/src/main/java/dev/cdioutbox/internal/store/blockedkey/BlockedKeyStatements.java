package dev.cdioutbox.internal.store.blockedkey;

import java.util.Collections;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.QueueId;

/** The SQL of blocked keys, built once for a table prefix and a dialect. */
public final class BlockedKeyStatements {
    /** In rows of a partition: the scan for later messages of blocked keys, in one transaction. */
    public static final int ROWS_SCANNED_FOR_FOLLOWERS = 1000;

    public final String followers;
    final String removeEmpty;
    final String correctDueTime;
    public final String lockPending;
    public final String lockChangedByOperator;
    public final String partitionOf;
    public final String setDue;
    public final String insert;
    public final String find;
    private final String due;
    // In these, %s is in the place of a list of ids or sequences.
    final String lockKeys;
    final String findEmpty;
    public final String lockFollowers;
    public final String moveFollowers;

    public BlockedKeyStatements(String prefix, Dialect dialect) {
        String message = prefix + "message";
        String blockedKey = prefix + "blocked_key";
        due = dialect.unionPart("""
                SELECT id, partition_id, message_key FROM %s WHERE partition_id = ? AND due_at <= %s
                 ORDER BY partition_id, due_at %s""".formatted(blockedKey, dialect.now(), dialect.limit("?")));
        lockKeys = dialect.lockSkipLocked("id", dialect.byPrimaryKey(blockedKey), "id IN (%s)");
        findEmpty = "SELECT g.id FROM %s g WHERE g.id IN ".formatted(blockedKey) + "(%s)"
                + " AND NOT EXISTS (SELECT 1 FROM %s m WHERE m.queue_id = g.id)".formatted(message);
        removeEmpty = "DELETE FROM %1$s WHERE id = ? AND NOT EXISTS (SELECT 1 FROM %2$s m WHERE m.queue_id = %1$s.id)"
                .formatted(blockedKey, message);
        // An operator may have changed messages between the query and the lock: then the queue is empty, or its head
        // is due at once.
        correctDueTime = """
                UPDATE %1$s SET due_at = (SELECT CASE WHEN m.status = 'ABANDONED' THEN %4$s ELSE COALESCE(m.available_at, %5$s) END
                  FROM %2$s m WHERE m.queue_id = %1$s.id ORDER BY m.queue_id, m.seq %3$s)
                WHERE id = ? AND EXISTS (SELECT 1 FROM %2$s n WHERE n.queue_id = %1$s.id)""".formatted(blockedKey, message, dialect.limit("1"), dialect.neverDue(), dialect.now());
        followers = """
                SELECT m.seq, g.id FROM (SELECT seq, queue_id, message_key, not_before FROM %s WHERE queue_id = ? AND seq > ?
                  ORDER BY queue_id, seq %s) m
                JOIN %s g ON g.partition_id = m.queue_id AND g.message_key = m.message_key
                WHERE m.not_before IS NULL ORDER BY m.seq""".formatted(message, dialect.limit(String.valueOf(ROWS_SCANNED_FOR_FOLLOWERS)), blockedKey);
        String queue = dialect.withoutIndex("queue_id");
        lockFollowers = dialect.lockSkipLocked("seq", dialect.byPrimaryKey(message), queue + " = ? AND seq IN (%s)");
        moveFollowers =
                "UPDATE " + dialect.byPrimaryKey(message) + " SET queue_id = ? WHERE " + queue + " = ? AND seq IN (%s)";
        lockPending = dialect.lock(
                "queue_id, attempts, destination, CASE WHEN not_before IS NULL THEN message_key END AS ordering_key",
                dialect.byPrimaryKey(message),
                QueueId.isPending(dialect) + " AND seq = ?");
        lockChangedByOperator = dialect.lock(
                "seq",
                dialect.byPrimaryKey(message),
                "seq = ? AND (%s AND status = 'DISCARDED' OR queue_id > 0 AND attempts < ?)"
                        .formatted(QueueId.IS_SETTLED));
        partitionOf = "SELECT partition_id FROM " + blockedKey + " WHERE id = ?";
        String dueAt = dialect.neverDue().equals("NULL")
                ? dialect.nowPlusMillis()
                : "COALESCE(%s, %s)".formatted(dialect.nowPlusMillis(), dialect.neverDue());
        setDue = "UPDATE %s SET due_at = %s WHERE id = ?".formatted(blockedKey, dueAt);
        insert = "INSERT INTO " + blockedKey + " (due_at, partition_id, message_key) "
                + dialect.insertedRow(dueAt + ", ?, ?");
        find = "SELECT id FROM %s WHERE partition_id = ? AND message_key = ?".formatted(blockedKey);
    }

    /** Selects the longest due blocked keys of each partition. */
    public String due(int partitions) {
        return String.join(" UNION ALL ", Collections.nCopies(partitions, due));
    }
}
