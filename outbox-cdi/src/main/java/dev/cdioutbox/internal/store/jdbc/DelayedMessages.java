package dev.cdioutbox.internal.store.jdbc;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.internal.store.claim.Claim;
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
    // In these, %s is in the place of a list of sequences.
    private final String lock;
    private final String move;

    DelayedMessages(Connections connections, Sql sql, PartitionIds partitions, ReadWatermark watermark) {
        this.connections = connections;
        this.partitions = partitions;
        this.watermark = watermark;
        this.dialect = sql.dialect();
        String isDue = "available_at <= " + dialect.now();
        String isListed = dialect.withoutIndex("queue_id") + " = ? AND seq IN (%s)";
        due = sql.with("due", dialect.limitDue(isDue, BATCH_SIZE))
                .of("SELECT seq FROM {queue} WHERE queue_id = ? AND {due}");
        String keyWaits = sql.of("g.due_at > {now}")
                + (dialect.neverDue().equals("NULL") ? "" : " AND g.due_at < " + dialect.neverDue());
        // One search in the index of due times for each partition, as in a claim.
        nextDue = sql.with("dueAt", dialect.selectTime("MIN(w.due_at)"))
                .with("readAt", dialect.selectTime(dialect.now()))
                .with("keyWaits", keyWaits)
                .with(
                        "delayed",
                        dialect.unionPart(sql.with("waits", dialect.limitDue("available_at > " + dialect.now(), 1))
                                .of("SELECT available_at AS due_at FROM {queue} WHERE queue_id = ? AND {waits}")))
                .of("""
                SELECT {dueAt} AS due_at, {readAt} AS read_at FROM (
                  SELECT (SELECT g.due_at FROM {blocked_key g by blocked_key_due} WHERE g.partition_id = p.id AND {keyWaits}
                    ORDER BY g.partition_id, g.due_at {limit 1}) AS due_at
                  FROM {partition} p WHERE p.id BETWEEN ? AND ?
                  UNION ALL {delayed}) w""");
        lock = sql.lockSkipLocked(
                "seq, (SELECT m.partition_id FROM {message} m WHERE m.seq = q.seq) AS home",
                "queue q",
                isDue + " AND " + isListed);
        move = sql.with("isListed", isListed).of("""
                UPDATE {queue by key} SET available_at = NULL,
                  queue_id = (SELECT m.partition_id FROM {message} m WHERE m.seq = {queue}.seq) WHERE {isListed}""");
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
            List<Long> found = statement(connection, due, delayed)
                    .behind(dialect.planByIndex())
                    .numbers();
            if (found.isEmpty()) {
                return false;
            }
            Map<Long, Long> homes = new LinkedHashMap<>();
            statement(connection, lock, delayed, found).forEach(row -> homes.put(row.getLong(1), row.getLong(2)));
            // Zero is that of a row whose message was deleted.
            homes.values().removeIf(home -> home == 0);
            if (homes.isEmpty()) {
                return false;
            }
            int moved = statement(connection, move, delayed, homes.keySet()).update();
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
                "looking for the next due message", connection -> statement(connection, nextDue, first, last, delayed)
                        .first(row -> {
                            Instant dueAt = dialect.time(row, "due_at");
                            return dueAt == null ? null : Duration.between(dialect.time(row, "read_at"), dueAt);
                        }));
    }

    private static JdbcStatement statement(Connection connection, String text, Object... parameters) {
        return JdbcStatement.of(connection, text, parameters).within(JdbcStatement.LOCK_WAIT_SECONDS);
    }
}
