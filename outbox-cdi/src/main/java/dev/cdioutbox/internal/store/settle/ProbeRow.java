package dev.cdioutbox.internal.store.settle;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.Settlement;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.QueueId;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * A row that a probe settles in place of a message, with the statements and in the tables of a settlement. Its sequence is
 * negative, no message belongs to it, and no claim reads its queue. Each probe has its own row: two nodes never wait for each
 * other, even if one of them crashes in its probe.
 */
public final class ProbeRow {
    /** Longer than any probe: a row of this age was left by a process that has crashed in one. */
    private static final Duration LEFT_BEHIND = Duration.ofHours(1);

    private static final long NO_ROW = 0;

    private final SettlementWriter writer;
    private final int timeoutSeconds;
    private final String insert;
    private final String lockWaiting;
    private final String lockSettled;
    private final String deleteWaiting;
    private final String deleteSettled;

    /** @param timeoutSeconds the longest wait for a locked row, in seconds */
    public ProbeRow(Sql sql, SettlementWriter writer, int timeoutSeconds) {
        this.writer = writer;
        this.timeoutSeconds = timeoutSeconds;
        Dialect dialect = sql.dialect();
        insert = sql.with("row", dialect.insertedRows("?, " + QueueId.NOWHERE.value() + ", " + dialect.now(), 1))
                .of("INSERT INTO {queue} (seq, queue_id, last_attempt_at) {row}");
        String own = "seq < 0 AND (seq = ? OR %s < {now+ms})";
        lockWaiting = sql.lockSkipLocked("seq", "queue", own.formatted("last_attempt_at"));
        lockSettled = sql.lockSkipLocked("seq", "delivery", own.formatted("settled_at"));
        deleteWaiting = sql.delete("queue", "queue_id <> 0 AND seq IN (%s)");
        deleteSettled = sql.delete("delivery", "status > 0 AND seq IN (%s)");
    }

    /** @return the sequence of the row */
    public long insert(Connection connection) throws SQLException {
        long sequence = -ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        statement(connection, insert, sequence).update();
        return sequence;
    }

    /**
     * Settles the row as a message with this retention. Does not write to the archive: the application need not have the
     * right to delete rows there.
     */
    public void settle(Connection connection, long sequence, RetentionConfig retention) throws SQLException {
        RetentionConfig deleting =
                new RetentionConfig(retention.published(), retention.abandoned(), false, retention.erases());
        writer.settle(connection, new Settlement(List.of(sequence), List.of(), List.of(), deleting, null, Map.of()));
    }

    /** Deletes the rows that crashed processes have left, unless another transaction has locked them. */
    public void sweep(Connection connection) throws SQLException {
        delete(connection, NO_ROW);
    }

    /** Deletes the row, and rows as {@link #sweep} does. */
    public void delete(Connection connection, long sequence) throws SQLException {
        delete(connection, sequence, lockWaiting, deleteWaiting);
        delete(connection, sequence, lockSettled, deleteSettled);
    }

    private void delete(Connection connection, long sequence, String lock, String delete) throws SQLException {
        List<Long> free =
                statement(connection, lock, sequence, -LEFT_BEHIND.toMillis()).numbers();
        if (!free.isEmpty()) {
            statement(connection, delete, free).update();
        }
    }

    private JdbcStatement statement(Connection connection, String text, Object... parameters) {
        return JdbcStatement.of(connection, text, parameters).within(timeoutSeconds);
    }
}
