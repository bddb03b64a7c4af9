package dev.cdioutbox.internal.store.sql;

import java.util.Collections;

import dev.cdioutbox.internal.store.dialect.Dialect;

/** The SQL of the outbox, built once for a table prefix and a dialect. */
public final class OutboxStatements {
    /** In rows: few enough for a short sweep transaction. */
    public static final int SWEEP_ROWS = 500;

    final String insert;
    final String lockKey;
    public final String partitions;
    public final String otherApplications;
    public final String insertPartition;
    public final String scheduleRetry;
    public final String countAttempt;
    public final String sweepable;
    public final String abandoned;

    // In these, %s is in the place of a list of sequences.
    public final String pending;
    public final String lockMessages;
    /** Deletes pending rows instead of settling them. */
    public final String deleteSettled;

    public final String archive;
    public final String remove;
    public final String lockDiscarded;
    public final String undoDiscard;
    public final String lockSweepable;
    final String lockKeys;

    private final String readQueue;
    /** The keys, among those in a list, of messages in a range of a queue. */
    public final String keysBetween;

    private final String settle;
    private final String expire;
    private final Dialect dialect;

    public OutboxStatements(String prefix, Dialect dialect) {
        this.dialect = dialect;
        String message = prefix + "message";
        String partition = prefix + "partition";
        insert = "INSERT INTO %s (%s) %s"
                .formatted(
                        message,
                        MessageColumn.names(MessageColumn.INSERTED),
                        dialect.insertedRow(MessageColumn.inserted(dialect)));
        lockKey = dialect.lock("id", prefix + "key_lock", "id = ?");
        lockKeys = "SELECT id FROM " + prefix + "key_lock WHERE id IN (%s) ORDER BY id FOR UPDATE";
        partitions = "SELECT destination, id FROM %s WHERE application = ? ORDER BY destination, partition_no"
                .formatted(partition);
        otherApplications = """
                SELECT DISTINCT p.application FROM %1$s p
                WHERE p.application <> ? AND ((SELECT 1 FROM %2$s m WHERE m.queue_id = p.id %6$s) IS NOT NULL
                  OR (SELECT g.id FROM %3$sblocked_key g WHERE g.partition_id = p.id ORDER BY g.partition_id, g.due_at %5$s) IS NOT NULL)
                ORDER BY p.application %4$s""".formatted(
                partition, message, prefix, dialect.limit("10"), dialect.limit("1"), dialect.limitUnordered("1"));
        insertPartition =
                "INSERT INTO %s (application, destination, partition_no) VALUES (?, ?, ?)".formatted(partition);
        String read = """
                SELECT %1$s, CASE WHEN status = 'PENDING' OR status = 'FAILED' AND available_at IS NULL
                   OR available_at <= %2$s THEN 1 ELSE 0 END AS due,
                   CASE WHEN not_before IS NULL AND (SELECT 1 FROM %4$sblocked_key g WHERE g.partition_id = m.queue_id
                     AND g.message_key = m.message_key %5$s) IS NOT NULL THEN 1 ELSE 0 END AS key_blocked
                 FROM %3$s WHERE""".formatted(
                        MessageColumn.selected(dialect),
                        dialect.now(),
                        dialect.byIndex(message + " m", dialect.indexPrefix(prefix) + "message_queue"),
                        prefix,
                        dialect.limitUnordered("1"));
        readQueue = dialect.unionPart(
                read + " queue_id = ? AND seq > ? ORDER BY queue_id, seq %s".formatted(dialect.limit("?")));
        String waits = QueueId.isPending(dialect) + " AND ";
        pending = "SELECT seq FROM " + dialect.byPrimaryKey(message) + " WHERE " + waits + "seq IN (%s)";
        lockMessages = dialect.lockSkipLocked("seq", dialect.byPrimaryKey(message), waits + "seq IN (%s)");
        keysBetween = "SELECT DISTINCT message_key FROM " + message
                + " WHERE queue_id = ? AND seq > ? AND seq <= ? AND not_before IS NULL AND message_key IN (%s)";
        settle = """
                UPDATE %s SET status = 'PUBLISHED', attempts = attempts + 1, last_attempt_at = %s, published_at = %s,
                  last_error = NULL, available_at = NULL, %s, shadow_destination = ?""".formatted(dialect.byPrimaryKey(message), dialect.now(), dialect.now(), QueueId.SETTLE);
        expire = "UPDATE %s SET status = 'EXPIRED', last_attempt_at = %s, available_at = NULL, %s"
                .formatted(dialect.byPrimaryKey(message), dialect.now(), QueueId.SETTLE);
        deleteSettled = dialect.deleteByPrimaryKey(message) + finished(false);
        archive = """
                INSERT INTO %1$sarchive (%2$s, archived_at) SELECT %2$s, %4$s FROM %1$smessage WHERE %3$s AND seq IN""".formatted(
                        prefix, MessageColumn.names(MessageColumn.ARCHIVED), QueueId.IS_NOT_PENDING, dialect.now())
                + " (%s)";
        remove = "%s WHERE %s AND seq IN".formatted(dialect.deleteByPrimaryKey(message), QueueId.IS_NOT_PENDING)
                + " (%s)";
        String discarded = QueueId.IS_SETTLED + " AND status = 'DISCARDED' AND seq IN (%s)";
        lockDiscarded = dialect.lock("seq", dialect.byPrimaryKey(message), discarded);
        // The same transaction then settles the row, so no other transaction sees this state.
        undoDiscard = "UPDATE " + dialect.byPrimaryKey(message) + " SET status = 'PENDING', " + QueueId.UNSETTLE
                + " WHERE " + discarded;
        String over = """
                application = ? AND (%2$s AND status IN ('PUBLISHED', 'EXPIRED', 'DISCARDED')
                    AND CASE status WHEN 'PUBLISHED' THEN published_at ELSE last_attempt_at END <= %1$s
                  OR %3$s AND status = 'ABANDONED' AND last_attempt_at <= %1$s)""".formatted(dialect.nowPlusMillis(), QueueId.IS_SETTLED, QueueId.IS_ABANDONED);
        sweepable = """
                SELECT seq, CASE WHEN %s THEN 1 ELSE 0 END AS is_over, CASE WHEN created_at > %s AND created_at <= %s THEN 1 ELSE 0 END AS young
                FROM %s WHERE seq > ? ORDER BY seq %s""".formatted(over, dialect.nowPlusMillis(), dialect.now(), message, dialect.limit("?"));
        abandoned = """
                SELECT m.seq FROM %s p JOIN %s ON m.queue_id = -p.id
                WHERE p.application = ? AND m.status = 'ABANDONED' AND m.last_attempt_at <= %s %s""".formatted(
                        partition,
                        dialect.byIndex(message + " m", dialect.indexPrefix(prefix) + "message_queue"),
                        dialect.nowPlusMillis(),
                        dialect.limitUnordered(String.valueOf(SWEEP_ROWS)));
        lockSweepable = dialect.lockSkipLocked("seq", dialect.byPrimaryKey(message), over + " AND seq IN (%s)");
        scheduleRetry = """
                UPDATE %s SET status = ?, attempts = ?, last_attempt_at = %s, last_error = ?, available_at = %s,
                  queue_id = ?
                WHERE %s seq = ?""".formatted(message, dialect.now(), dialect.nowPlusMillis(), waits);
        countAttempt = "UPDATE %s SET attempts = ?, last_error = ? WHERE %s seq = ?".formatted(message, waits);
    }

    public Dialect dialect() {
        return dialect;
    }

    /** Reads each queue's next messages in order, in one round trip; the order between queues does not matter. */
    public String readQueues(int queues) {
        return String.join(" UNION ALL ", Collections.nCopies(queues, readQueue));
    }

    /**
     * The first parameter is the shadow destination or null; then follow pairs of a sequence and a broker's id, then
     * the sequences.
     */
    public String settle(int names, boolean erases) {
        // The column gives the parameters a type, which Db2 asks for; its value is null.
        String named =
                names == 0 ? "NULL" : "CASE seq" + " WHEN ? THEN ?".repeat(names) + " ELSE broker_message_id END";
        return settle + ", broker_message_id = " + named + finished(erases);
    }

    public String expire(boolean erases) {
        return expire + finished(erases);
    }

    private String finished(boolean erases) {
        return (erases ? ", payload = " + dialect.emptyText() : "") + " WHERE " + QueueId.isPending(dialect)
                + " AND seq IN (%s)";
    }
}
