package dev.cdioutbox.internal.store.purge;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;

import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.settle.DeliveryTable;
import dev.cdioutbox.internal.store.settle.MessageRemoval;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * Finds messages whose retention is over, and removes them with their delivery or queue row, in one transaction. Scans the
 * primary key, whose order is nearly that of the times, so that the purge needs no index, and
 * stops at the first message younger than {@code outbox.retention.published}. Skips locked rows.
 *
 * <table>
 * <caption>When a message is removed</caption>
 * <tr><th>it</th><th>after</th></tr>
 * <tr><td>is published, expired or discarded</td><td>{@code outbox.retention.published} in that state. With {@code PT0S},
 *     the settlement removes what is published or has expired</td></tr>
 * <tr><td>is abandoned, and does not block its key</td><td>{@code outbox.retention.abandoned} since its last attempt, and
 *     {@code outbox.retention.published} since its insert</td></tr>
 * <tr><td>waits, or is abandoned and blocks its key</td><td>never</td></tr>
 * </table>
 */
public final class MessagePurge {
    /** In rows: few enough for a short purge transaction. */
    public static final int ROWS = 500;

    private static final int SETTLED = 1;

    private static final int ABANDONED = 2;

    private final String application;
    private final DeliveryTable deliveries;
    private final MessageRemoval removal;
    private final String purgeable;
    private final String lockSettled;
    private final String lockAbandoned;
    private final String removeAbandoned;

    public MessagePurge(String application, Sql sql, DeliveryTable deliveries, MessageRemoval removal) {
        this.application = application;
        this.deliveries = deliveries;
        this.removal = removal;
        // Subqueries and no joins: a planner with old statistics would read the tables as a whole.
        purgeable = sql.with("settled", SETTLED).with("abandoned", ABANDONED).of("""
                SELECT m.seq, CASE WHEN m.application = :application THEN COALESCE(
                    (SELECT CASE WHEN d.settled_at <= {now + :published} THEN {settled} ELSE 0 END FROM {delivery} d WHERE d.seq = m.seq),
                    (SELECT CASE WHEN queue_id < 0 AND last_attempt_at <= {now + :abandoned} THEN {abandoned} ELSE 0 END
                      FROM {queue} q WHERE q.seq = m.seq),
                    0) ELSE 0 END AS is_over,
                  CASE WHEN m.created_at > {now + :published} AND m.created_at <= {now} THEN 1 ELSE 0 END AS young
                FROM {message} m WHERE m.seq > :after ORDER BY m.seq FETCH FIRST :rows ROWS ONLY""");
        lockSettled = sql.of("""
                SELECT seq FROM {delivery} /*! FORCE INDEX (PRIMARY) */
                WHERE settled_at <= {now + :age} AND seq IN (:sequences) FOR UPDATE SKIP LOCKED""");
        lockAbandoned = sql.of("""
                SELECT seq FROM {queue} /*! FORCE INDEX (PRIMARY) */
                WHERE queue_id < 0 AND last_attempt_at <= {now + :age} AND seq IN (:sequences) FOR UPDATE SKIP LOCKED""");
        removeAbandoned = sql.of("""
                DELETE /*! m */ FROM {queue} /*! m FORCE INDEX (PRIMARY) */ WHERE queue_id < 0 AND seq IN (:sequences)""");
    }

    /** Removes what is over among the next rows after a sequence. */
    public PurgeResult removeNext(Connection connection, RetentionConfig retention, long after) throws SQLException {
        long published = -retention.published().toMillis();
        long abandoned = -retention.abandoned().toMillis();
        List<Row> seen = JdbcStatement.of(connection, purgeable)
                .set("application", application)
                .set("published", published)
                .set("abandoned", abandoned)
                .set("after", after)
                .set("rows", ROWS)
                .list(row -> new Row(row.getLong("seq"), row.getInt("is_over"), row.getInt("young") == 1))
                .stream()
                .takeWhile(row -> !row.isYoung())
                .toList();
        // Check the conditions again under the locks: an operator may have requeued a message.
        List<Long> settled = lock(connection, lockSettled, published, seen, SETTLED);
        List<Long> left = lock(connection, lockAbandoned, abandoned, seen, ABANDONED);
        List<Long> over = Stream.of(settled, left).flatMap(List::stream).toList();
        if (!over.isEmpty()) {
            removal.archive(connection, retention, over);
            deliveries.delete(connection, settled);
            removeAbandoned(connection, left);
            removal.remove(connection, over);
        }
        long last = seen.isEmpty() ? after : seen.get(seen.size() - 1).sequence();
        return new PurgeResult(over.size(), last, seen.size() < ROWS);
    }

    private static List<Long> lock(Connection connection, String lock, long age, List<Row> seen, int kind)
            throws SQLException {
        List<Long> over = seen.stream()
                .filter(row -> row.isOver == kind)
                .map(Row::sequence)
                .toList();
        return over.isEmpty()
                ? List.of()
                : JdbcStatement.of(connection, lock)
                        .set("age", age)
                        .set("sequences", over)
                        .within(JdbcStatement.LOCK_WAIT_SECONDS)
                        .numbers();
    }

    private void removeAbandoned(Connection connection, List<Long> left) throws SQLException {
        if (!left.isEmpty()) {
            JdbcStatement.of(connection, removeAbandoned)
                    .set("sequences", left)
                    .within(JdbcStatement.LOCK_WAIT_SECONDS)
                    .update();
        }
    }

    /**
     * A message that the scan has read.
     *
     * @param isOver which retention is over: {@link #SETTLED}, {@link #ABANDONED}, or 0 for none
     * @param isYoung whether a message as young as this one, and each later one, must stay
     */
    private record Row(long sequence, int isOver, boolean isYoung) {}
}
