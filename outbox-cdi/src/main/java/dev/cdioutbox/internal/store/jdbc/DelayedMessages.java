package dev.cdioutbox.internal.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.PartitionTable;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/** Moves due delayed messages to their partitions, and reports them to the read watermarks. Finds the next due one. */
final class DelayedMessages {
    /** In messages: the batch of one short transaction. */
    static final int BATCH_SIZE = 1000;

    /** In seconds. The statements skip locked rows, so only a fault can make one of them take that long. */
    private static final int TIMEOUT_SECONDS = 30;

    private final PartitionTable partitions;
    private final ReadWatermark watermark;
    private final Dialect dialect;
    private final String due;
    private final String nextDue;
    // In these, %s is in the place of a list of sequences.
    private final String lock;
    private final String move;

    DelayedMessages(String prefix, Dialect dialect, PartitionTable partitions, ReadWatermark watermark) {
        this.partitions = partitions;
        this.watermark = watermark;
        this.dialect = dialect;
        String message = prefix + "message";
        String byKey = dialect.byPrimaryKey(message);
        String isDue = "available_at <= " + dialect.now();
        String isListed = dialect.withoutIndex("queue_id") + " = ? AND seq IN (%s)";
        due = "SELECT seq FROM " + message + " WHERE queue_id = ? AND " + dialect.limitDue(isDue, BATCH_SIZE);
        String waits = "%s > " + dialect.now();
        String blockedKey = prefix + "blocked_key";
        String keyWaits = waits.formatted("g.due_at")
                + (dialect.neverDue().equals("NULL") ? "" : " AND g.due_at < " + dialect.neverDue());
        // One search in the index of due times for each partition, as in a claim.
        nextDue = """
                SELECT %1$s AS due_at, %2$s AS read_at FROM (
                  SELECT (SELECT g.due_at FROM %3$s WHERE g.partition_id = p.id AND %4$s
                    ORDER BY g.partition_id, g.due_at %5$s) AS due_at
                  FROM %6$spartition p WHERE p.id IN (%%s)
                  UNION ALL %7$s) w""".formatted(
                        dialect.selectTime("MIN(w.due_at)"),
                        dialect.selectTime(dialect.now()),
                        dialect.byIndex(blockedKey + " g", dialect.indexPrefix(prefix) + "blocked_key_due"),
                        keyWaits,
                        dialect.limit("1"),
                        prefix,
                        dialect.unionPart("SELECT available_at AS due_at FROM " + message + " WHERE queue_id = ? AND "
                                + dialect.limitDue(waits.formatted("available_at"), 1)));
        lock = dialect.lockSkipLocked("seq, partition_no", byKey, isDue + " AND " + isListed);
        String home = """
                (SELECT p.id FROM %2$spartition p WHERE p.application = %1$s.application
                  AND p.destination = %1$s.destination AND p.partition_no = %1$s.partition_no)""".formatted(message, prefix);
        // Without the partition's row, the message would wait in no queue at all.
        move = "UPDATE " + byKey + " SET available_at = NULL, queue_id = " + home + " WHERE " + home
                + " IS NOT NULL AND " + isListed;
    }

    /**
     * Moves due messages and commits. Selects first, and then locks by primary key, since some databases lock every row
     * that they read. Skips locked rows.
     *
     * @return whether this call has moved any
     */
    boolean release(Connection connection, String destination) throws SQLException {
        int delayed = partitions.queueId(destination, PartitionTable.DELAYED);
        List<Long> found = statement(connection, due, delayed).numbers();
        if (found.isEmpty()) {
            return false;
        }
        Map<Long, Integer> free = new LinkedHashMap<>();
        statement(connection, lock, delayed, found).forEach(row -> free.put(row.getLong(1), row.getInt(2)));
        if (free.isEmpty()) {
            return false;
        }
        int moved = statement(connection, move, delayed, free.keySet()).update();
        connection.commit();
        free.forEach((sequence, partition) -> watermark.requeued(partitions.queueId(destination, partition), sequence));
        return moved > 0;
    }

    /** The time until the next delayed message or blocked key is due; null if none ever is. */
    Duration untilNextDue(Connection connection, String destination) throws SQLException {
        int delayed = partitions.queueId(destination, PartitionTable.DELAYED);
        return statement(connection, nextDue, partitions.queueIds(destination), delayed)
                .first(row -> {
                    Instant dueAt = dialect.time(row, "due_at");
                    return dueAt == null ? null : Duration.between(dialect.time(row, "read_at"), dueAt);
                });
    }

    private static JdbcStatement statement(Connection connection, String text, Object... parameters) {
        return JdbcStatement.of(connection, text, parameters).within(TIMEOUT_SECONDS);
    }
}
