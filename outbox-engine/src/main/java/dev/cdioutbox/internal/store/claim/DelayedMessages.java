package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/**
 * Moves due delayed messages to their partitions, and finds the one that is due next. A message with a {@code
 * deliverNotBefore} waits in the delayed partition of its destination, as does, until its retry, a failed message
 * that blocks no key. Moved, they keep their sequence, but they have left the order: later messages overtake them,
 * their failure blocks no key, and the read watermarks must be told. Thread-safe; each method runs in a separate transaction
 * outside of JTA.
 */
public final class DelayedMessages {
    /** In messages: the batch of one short transaction. */
    static final int BATCH_SIZE = 1000;

    private final Connections connections;
    private final PartitionIds partitions;
    private final ReadWatermark watermark;
    private final Dialect dialect;
    private final String due;
    private final String nextDue;
    private final String lock;
    private final String move;

    public DelayedMessages(Connections connections, Sql sql, PartitionIds partitions, ReadWatermark watermark) {
        this.connections = connections;
        this.partitions = partitions;
        this.watermark = watermark;
        this.dialect = sql.dialect();
        due = sql.with("most", BATCH_SIZE).of("""
                SELECT seq FROM {queue} WHERE queue_id = :delayed AND available_at <= {now}
                ORDER BY queue_id, available_at FETCH FIRST {most} ROWS ONLY""");
        // One search in the index of due times for each partition, as in a claim.
        nextDue = sql.of("""
                SELECT {time MIN(w.due_at)} AS due_at, {time {now}} AS read_at FROM (
                  SELECT (SELECT g.due_at FROM {blocked_key} g /*! FORCE INDEX ({index}blocked_key_due) */
                    WHERE g.partition_id = p.id AND g.due_at > {now} /*! AND g.due_at < {never} */
                    ORDER BY g.partition_id, g.due_at FETCH FIRST 1 ROWS ONLY) AS due_at
                  FROM {partition} p WHERE p.id BETWEEN :first AND :last
                  UNION ALL SELECT * FROM (
                    SELECT available_at AS due_at FROM {queue} WHERE queue_id = :delayed AND available_at > {now}
                    ORDER BY queue_id, available_at FETCH FIRST 1 ROWS ONLY) d) w""");
        lock = sql.of("""
                SELECT seq, (SELECT m.partition_id FROM {message} m WHERE m.seq = q.seq) AS home
                FROM {queue} q /*! FORCE INDEX (PRIMARY) */
                WHERE available_at <= {now} AND COALESCE(queue_id, 0) = :delayed AND seq IN (:sequences) FOR UPDATE SKIP LOCKED""");
        move = sql.of("""
                UPDATE {queue} /*! FORCE INDEX (PRIMARY) */ SET available_at = NULL,
                  queue_id = (SELECT m.partition_id FROM {message} m WHERE m.seq = {queue}.seq)
                WHERE COALESCE(queue_id, 0) = :delayed AND seq IN (:sequences)""");
    }

    /**
     * Moves due delayed messages to their partitions. A bounded number for each call: while more are due, {@link
     * Claim#delayedAreDue} says so.
     *
     * @return whether this call has moved any
     */
    public boolean release(String destination) {
        long delayed = partitions.id(destination, PartitionIds.DELAYED);
        return connections.inLocalTransaction("moving delayed messages", connection -> {
            // Selects first, and then locks by primary key, since some databases lock every row that they read.
            List<Long> found = statement(connection, due)
                    .set("delayed", delayed)
                    .behind(dialect.planByIndex())
                    .numbers();
            if (found.isEmpty()) {
                return false;
            }
            Map<Long, Long> homes = new LinkedHashMap<>();
            statement(connection, lock)
                    .set("delayed", delayed)
                    .set("sequences", found)
                    .forEach(row -> homes.put(row.getLong(1), row.getLong(2)));
            // Zero is that of a row whose message was deleted.
            homes.values().removeIf(home -> home == 0);
            if (homes.isEmpty()) {
                return false;
            }
            int moved = statement(connection, move)
                    .set("delayed", delayed)
                    .set("sequences", homes.keySet())
                    .update();
            connection.commit();
            homes.forEach((sequence, home) -> watermark.requeued(home, sequence));
            return moved > 0;
        });
    }

    /**
     * The time until the next message becomes due, among those that are delayed or wait for their retry.
     *
     * @return null if none waits
     */
    public Duration untilNextDue(String destination) {
        long delayed = partitions.id(destination, PartitionIds.DELAYED);
        long first = partitions.first(destination);
        long last = partitions.last(destination);
        return connections.inLocalTransaction(
                "looking for the next due message", connection -> statement(connection, nextDue)
                        .set("first", first)
                        .set("last", last)
                        .set("delayed", delayed)
                        .first(row -> {
                            Instant dueAt = dialect.time(row, "due_at");
                            return dueAt == null ? null : Duration.between(dialect.time(row, "read_at"), dueAt);
                        }));
    }

    private static JdbcStatement statement(Connection connection, String text) {
        return JdbcStatement.of(connection, text).within(JdbcStatement.LOCK_WAIT_SECONDS);
    }
}
