package dev.cdioutbox.internal.store.sweep;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.SweepResult;
import dev.cdioutbox.internal.store.audit.AuditTable;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.OutboxStatements;

/**
 * Deletes or archives messages whose retention is over, in one transaction. Scans the primary key, whose order is
 * nearly that of the times, so that the sweep needs no index. At the end of the scan, finds abandoned messages with a
 * shorter retention by the index of the queues. Skips locked rows.
 */
public final class RetentionSweeper {
    /** In seconds. No other transaction should lock these rows. */
    private static final int TIMEOUT_SECONDS = 30;

    private final String application;
    private final OutboxStatements sql;
    private final AuditTable audit;

    public RetentionSweeper(String application, OutboxStatements sql, AuditTable audit) {
        this.application = application;
        this.sql = sql;
        this.audit = audit;
    }

    /** Sweeps the next rows after a sequence. */
    public SweepResult sweepBatch(Connection connection, RetentionConfig retention, long after) throws SQLException {
        List<Row> seen = JdbcStatement.of(
                        connection,
                        sql.sweepable,
                        application,
                        -retention.published().toMillis(),
                        -retention.abandoned().toMillis(),
                        -retention.published().toMillis(),
                        after,
                        OutboxStatements.SWEEP_ROWS)
                .list(row -> new Row(row.getLong("seq"), row.getInt("is_over") == 1, row.getInt("young") == 1))
                .stream()
                .takeWhile(row -> !row.isYoung())
                .toList();
        List<Long> over = seen.stream().filter(Row::isOver).map(Row::sequence).toList();
        long last = seen.isEmpty() ? after : seen.get(seen.size() - 1).sequence();
        int removed = over.isEmpty() ? 0 : remove(connection, retention, over);
        boolean end = seen.size() < OutboxStatements.SWEEP_ROWS;
        if (end && retention.abandoned().compareTo(retention.published()) < 0) {
            List<Long> abandoned = abandoned(connection, retention);
            int more = abandoned.isEmpty() ? 0 : remove(connection, retention, abandoned);
            removed += more;
            end = abandoned.size() < OutboxStatements.SWEEP_ROWS || more == 0;
        }
        return new SweepResult(removed, last, end);
    }

    /**
     * Finds abandoned messages beyond the end of the scan. A further scan would skip published messages that must stay
     * for longer.
     */
    private List<Long> abandoned(Connection connection, RetentionConfig retention) throws SQLException {
        return JdbcStatement.of(
                        connection,
                        sql.abandoned,
                        application,
                        -retention.abandoned().toMillis())
                .numbers();
    }

    private int remove(Connection connection, RetentionConfig retention, List<Long> over) throws SQLException {
        // Checks the condition again under the lock: an operator may have requeued a message.
        List<Long> locked = JdbcStatement.of(
                        connection,
                        sql.lockSweepable,
                        application,
                        -retention.published().toMillis(),
                        -retention.abandoned().toMillis(),
                        over)
                .numbers();
        if (locked.isEmpty()) {
            return 0;
        }
        if (retention.archives()) {
            JdbcStatement.of(connection, sql.archive, locked)
                    .within(TIMEOUT_SECONDS)
                    .update();
        }
        audit.deleteMessageEntries(connection, locked, TIMEOUT_SECONDS);
        return JdbcStatement.of(connection, sql.remove, locked)
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
