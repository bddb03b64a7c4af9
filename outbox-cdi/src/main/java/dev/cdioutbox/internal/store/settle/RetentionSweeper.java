package dev.cdioutbox.internal.store.settle;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.SweepResult;
import dev.cdioutbox.internal.store.audit.AuditTable;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.MessageColumn;
import dev.cdioutbox.internal.store.sql.QueueId;

/**
 * Deletes or archives messages whose retention is over, in one transaction. Scans the primary key, whose order is
 * nearly that of the times, so that the sweep needs no index. Skips locked rows.
 */
public final class RetentionSweeper {
    /** In rows: few enough for a short sweep transaction. */
    public static final int ROWS = 500;

    /** In seconds. No other transaction should lock these rows. */
    private static final int TIMEOUT_SECONDS = 30;

    private final String application;
    private final AuditTable audit;
    private final String sweepable;
    // In these, %s is in the place of a list of sequences.
    private final String lockSweepable;
    private final String archive;
    private final String remove;

    public RetentionSweeper(String application, String prefix, Dialect dialect, AuditTable audit) {
        this.application = application;
        this.audit = audit;
        String message = prefix + "message";
        String over = """
                application = ? AND (%2$s AND status IN ('PUBLISHED', 'EXPIRED', 'DISCARDED')
                    AND CASE status WHEN 'PUBLISHED' THEN published_at ELSE last_attempt_at END <= %1$s
                  OR %3$s AND status = 'ABANDONED' AND last_attempt_at <= %1$s)""".formatted(dialect.nowPlusMillis(), QueueId.IS_SETTLED, QueueId.IS_ABANDONED);
        sweepable = """
                SELECT seq, CASE WHEN %s THEN 1 ELSE 0 END AS is_over, CASE WHEN created_at > %s AND created_at <= %s THEN 1 ELSE 0 END AS young
                FROM %s WHERE seq > ? ORDER BY seq %s""".formatted(over, dialect.nowPlusMillis(), dialect.now(), message, dialect.limit("?"));
        lockSweepable = dialect.lockSkipLocked("seq", dialect.byPrimaryKey(message), over + " AND seq IN (%s)");
        archive = """
                INSERT INTO %1$sarchive (%2$s, archived_at) SELECT %2$s, %4$s FROM %1$smessage WHERE %3$s AND seq IN""".formatted(
                        prefix, MessageColumn.names(MessageColumn.ARCHIVED), QueueId.IS_NOT_PENDING, dialect.now())
                + " (%s)";
        remove = "%s WHERE %s AND seq IN".formatted(dialect.deleteByPrimaryKey(message), QueueId.IS_NOT_PENDING)
                + " (%s)";
    }

    /** Sweeps the next rows after a sequence. */
    public SweepResult sweepBatch(Connection connection, RetentionConfig retention, long after) throws SQLException {
        List<Row> seen = JdbcStatement.of(
                        connection,
                        sweepable,
                        application,
                        -retention.published().toMillis(),
                        -retention.abandoned().toMillis(),
                        -retention.published().toMillis(),
                        after,
                        ROWS)
                .list(row -> new Row(row.getLong("seq"), row.getInt("is_over") == 1, row.getInt("young") == 1))
                .stream()
                .takeWhile(row -> !row.isYoung())
                .toList();
        List<Long> over = seen.stream().filter(Row::isOver).map(Row::sequence).toList();
        long last = seen.isEmpty() ? after : seen.get(seen.size() - 1).sequence();
        int removed = sweep(connection, retention, over);
        return new SweepResult(removed, last, seen.size() < ROWS);
    }

    private int sweep(Connection connection, RetentionConfig retention, List<Long> over) throws SQLException {
        if (over.isEmpty()) {
            return 0;
        }
        // Checks the condition again under the lock: an operator may have requeued a message.
        List<Long> locked = JdbcStatement.of(
                        connection,
                        lockSweepable,
                        application,
                        -retention.published().toMillis(),
                        -retention.abandoned().toMillis(),
                        over)
                .numbers();
        return locked.isEmpty() ? 0 : remove(connection, retention, locked);
    }

    /** Archives or deletes locked rows, with their audit links. */
    private int remove(Connection connection, RetentionConfig retention, List<Long> locked) throws SQLException {
        if (retention.archives()) {
            update(connection, archive, locked);
        }
        audit.deleteMessageEntries(connection, locked, TIMEOUT_SECONDS);
        return update(connection, remove, locked);
    }

    /** Archives settled rows, and removes their audit links. No sweep reads these rows. */
    void removeSettled(Connection connection, RetentionConfig retention, List<Long> settled) throws SQLException {
        if (retention.archives()) {
            remove(connection, retention, settled);
        } else {
            audit.deleteMessageEntries(connection, settled, TIMEOUT_SECONDS);
        }
    }

    private static int update(Connection connection, String statement, List<Long> sequences) throws SQLException {
        return JdbcStatement.of(connection, statement, sequences)
                .within(TIMEOUT_SECONDS)
                .update();
    }

    /**
     * A message that the scan has read.
     *
     * @param isYoung whether a message as young as this one, and each later one, must stay
     */
    private record Row(long sequence, boolean isOver, boolean isYoung) {}
}
