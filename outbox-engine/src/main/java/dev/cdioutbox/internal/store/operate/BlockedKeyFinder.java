package dev.cdioutbox.internal.store.operate;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.QueueId;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.sql.StatusCode;
import org.jspecify.annotations.Nullable;

/**
 * Finds the keys whose first message waits for a retry or an operator. Counts what claims have moved to the queues of these keys,
 * beginning with the key that was blocked first, and up to a limit, since a key may hold up millions of messages. Thread-safe.
 */
public final class BlockedKeyFinder {
    /** In messages, of all keys and all applications in the tables. */
    public static final int ROWS = 100_000;

    private final Connections connections;
    private final String application;
    private final Dialect dialect;
    private final int rows;
    private final String find;

    public BlockedKeyFinder(Connections connections, String application, Sql sql, int rows) {
        this.connections = connections;
        this.application = application;
        dialect = sql.dialect();
        this.rows = rows;
        // Within the innermost query, the status would cost a look at the row of each key.
        find = sql.with("rows", rows).of("""
                SELECT w.queue_id, w.messages, w.looked_at, m.message_key, m.destination, m.message_id, m.event_type, q.status, q.attempts,
                  q.last_error, {time q.available_at} AS available_at
                FROM (SELECT c.queue_id, c.first_seq, c.messages, c.looked_at FROM (
                    SELECT r.queue_id, MIN(r.seq) AS first_seq, COUNT(*) AS messages, SUM(COUNT(*)) OVER () AS looked_at FROM (
                      SELECT i.queue_id, i.seq FROM {queue} i /*! FORCE INDEX ({index}queue_order) */ WHERE i.queue_id > :blocked
                      ORDER BY i.queue_id, i.seq FETCH FIRST {rows} ROWS ONLY) r GROUP BY r.queue_id) c
                  WHERE EXISTS (SELECT 1 FROM {blocked_key} b /*! FORCE INDEX (PRIMARY) */ JOIN {partition} p ON p.id = b.partition_id
                    WHERE b.id = c.queue_id AND p.application = :application)
                  ORDER BY c.messages DESC, c.queue_id FETCH FIRST :most ROWS ONLY) w
                JOIN {queue} q /*! FORCE INDEX (PRIMARY) */ ON q.seq = w.first_seq
                JOIN {message} m /*! FORCE INDEX (PRIMARY) */ ON m.seq = w.first_seq
                WHERE q.status <> {PENDING} ORDER BY w.messages DESC, w.queue_id""");
    }

    /**
     * Those that hold up most first.
     *
     * @param most fewer are found if the first message of some of these keys merely waits to be sent
     */
    public BlockedKeys find(int most) {
        return connections.withConnection("looking for blocked keys", connection -> {
            List<Counted> found = JdbcStatement.of(connection, find)
                    .set("blocked", QueueId.BLOCKED_KEYS)
                    .set("application", application)
                    .set("most", most)
                    .list(row -> new Counted(key(row), row.getInt("looked_at")));
            return new BlockedKeys(
                    found.stream().map(Counted::key).toList(), found.stream().anyMatch(each -> each.lookedAt >= rows));
        });
    }

    private BlockedKey key(ResultSet row) throws SQLException {
        return new BlockedKey(
                row.getString("message_key"),
                row.getString("destination"),
                new QueueId(row.getLong("queue_id")).blockedAt(),
                row.getString("message_id"),
                row.getString("event_type"),
                StatusCode.status(row.getInt("status")),
                row.getInt("attempts"),
                dialect.time(row, "available_at"),
                row.getString("last_error"),
                row.getInt("messages") - 1);
    }

    private record Counted(BlockedKey key, int lookedAt) {}

    /** @param isCapped whether more messages wait in blocked keys than were counted */
    public record BlockedKeys(List<BlockedKey> keys, boolean isCapped) {}

    /**
     * A key that is blocked by its first message. Public, as JSON-B needs it for the console.
     *
     * @param since when it was blocked, by the clock of the node that did it
     * @param message the id of its first message
     * @param nextTry null if it waits for an operator, or is due
     * @param waiting how many messages wait behind it
     */
    public record BlockedKey(
            @Nullable String key,
            String destination,
            Instant since,
            String message,
            String type,
            OutboxStatus status,
            int attempts,
            @Nullable Instant nextTry,
            @Nullable String lastError,
            int waiting) {}
}
