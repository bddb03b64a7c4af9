package dev.cdioutbox.internal.store.operate;

import static java.util.stream.Collectors.toMap;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.internal.store.HeldUpKeys;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.QueueId;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.operate.OutboxBacklog;

/**
 * Counts the keys that wait, and the messages behind them, for metrics. Ask only where something has failed or is in doubt: each
 * statement reads up to twice {@link OutboxBacklog#CAP} rows of the queue. Thread-safe; each method runs in any transaction of
 * the caller.
 */
public final class HeldUpKeyCounter {
    /** In seconds. The next reading of the backlog waits for this query. */
    private static final int TIMEOUT_SECONDS = 10;

    private final Connections connections;
    private final String application;
    private final String planByIndex;
    private final String planScansByIndex;
    private final String blocked;
    private final String queues;
    private final String inDoubt;
    private final String waiting;

    public HeldUpKeyCounter(Connections connections, String application, Sql tables) {
        this.connections = connections;
        this.application = application;
        planByIndex = tables.dialect().planByIndex();
        planScansByIndex = tables.dialect().planScansByIndex();
        Sql sql = tables.with("cap", OutboxBacklog.CAP).with("twice the cap", 2 * OutboxBacklog.CAP);
        // The first message tells whether the key is blocked: its row stays until a claim finds the queue empty, also
        // after an operator's retry. Only the first message of a queue can have failed. The cap counts followers, so
        // the statement reads as many rows again for the first messages.
        blocked = sql.of("""
                SELECT p.destination, COUNT(*) AS blocked_keys, SUM(COALESCE(w.messages - 1, 0)) AS followers, MIN(b.id) AS oldest
                FROM (SELECT g.id, g.partition_id, (
                    SELECT q.status FROM {queue} q /*! FORCE INDEX ({index}queue_order) */ WHERE q.queue_id = g.id
                    ORDER BY q.queue_id, q.seq FETCH FIRST 1 ROWS ONLY) AS status
                  FROM {blocked_key} g /*! FORCE INDEX (PRIMARY) */ ORDER BY g.id FETCH FIRST {cap} ROWS ONLY) b
                JOIN {partition} p ON p.id = b.partition_id
                LEFT JOIN (SELECT r.queue_id, COUNT(*) AS messages FROM (
                    SELECT i.queue_id, i.seq FROM {queue} i /*! FORCE INDEX ({index}queue_order) */ WHERE i.queue_id > :blocked
                    ORDER BY i.queue_id, i.seq FETCH FIRST {twice the cap} ROWS ONLY) r GROUP BY r.queue_id) w ON w.queue_id = b.id
                WHERE p.application = :application AND b.status <> {PENDING} GROUP BY p.destination""");
        // These three are not one statement: PostgreSQL would go through the index of all queues for it, and MariaDB
        // would compare each key with each follower.
        queues = sql.of(
                "SELECT DISTINCT q.queue_id FROM {queue} q /*! FORCE INDEX (PRIMARY) */ WHERE q.seq IN (:sequences)");
        // Delayed messages have no order.
        inDoubt = sql.of("""
                SELECT m.seq, m.partition_id, m.message_key FROM {message} m /*! FORCE INDEX (PRIMARY) */
                WHERE m.seq IN (:sequences) AND m.message_key IS NOT NULL AND m.not_before IS NULL""");
        waiting = sql.of("""
                SELECT m.seq, m.partition_id, m.message_key FROM (
                  SELECT q.seq FROM {queue} q /*! FORCE INDEX ({index}queue_order) */ WHERE q.queue_id IN (:queues)
                  FETCH FIRST {cap} ROWS ONLY) w
                JOIN {message} m /*! FORCE INDEX (PRIMARY) */ ON m.seq = w.seq
                WHERE m.message_key IS NOT NULL AND m.not_before IS NULL""");
    }

    /** The blocked keys by destination, of those that have some. */
    public Map<String, HeldUpKeys> blocked() {
        return connections
                .withConnection("counting blocked keys", connection -> JdbcStatement.of(connection, blocked)
                        .set("blocked", QueueId.BLOCKED_KEYS)
                        .set("application", application)
                        .behind(planScansByIndex)
                        .within(TIMEOUT_SECONDS)
                        .list(row -> Map.entry(
                                row.getString("destination"),
                                new HeldUpKeys(
                                        row.getInt("blocked_keys"),
                                        Math.min(row.getInt("followers"), OutboxBacklog.CAP),
                                        since(new QueueId(row.getLong("oldest")))))))
                .stream()
                .collect(toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** Never negative: another node's clock may be ahead. */
    private static Duration since(QueueId blockedKey) {
        Duration age = Duration.between(blockedKey.blockedAt(), Instant.now());
        return age.isNegative() ? Duration.ZERO : age;
    }

    /**
     * The keys with messages in doubt, without the time.
     *
     * @param sequences the messages in doubt, not empty
     */
    public HeldUpKeys inDoubt(Set<Long> sequences) {
        return connections.withConnection("counting keys in doubt", connection -> {
            List<Long> theirQueues =
                    statement(connection, queues).set("sequences", sequences).list(row -> row.getLong("queue_id"));
            if (theirQueues.isEmpty()) {
                // They were settled in the meantime.
                return HeldUpKeys.NONE;
            }
            Map<Key, Long> first = statement(connection, inDoubt).set("sequences", sequences).list(Message::of).stream()
                    .collect(toMap(Message::key, Message::seq, Math::min));
            // Messages in doubt stay in their queue, and so do those behind them.
            long followers = statement(connection, waiting).set("queues", theirQueues).list(Message::of).stream()
                    .filter(message -> !sequences.contains(message.seq())
                            && message.seq() > first.getOrDefault(message.key(), Long.MAX_VALUE))
                    .count();
            return new HeldUpKeys(first.size(), (int) followers, Duration.ZERO);
        });
    }

    private JdbcStatement statement(Connection connection, String sql) {
        return JdbcStatement.of(connection, sql).behind(planByIndex).within(TIMEOUT_SECONDS);
    }

    private record Key(long partition, String text) {}

    private record Message(long seq, Key key) {
        static Message of(ResultSet row) throws SQLException {
            return new Message(row.getLong("seq"), new Key(row.getLong("partition_id"), row.getString("message_key")));
        }
    }
}
