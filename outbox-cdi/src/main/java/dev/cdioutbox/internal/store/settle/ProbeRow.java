package dev.cdioutbox.internal.store.settle;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.Settlement;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.QueueId;

/**
 * A row that a probe settles in place of a message, with the statements and in the tables of a settlement. The row belongs
 * to no application and to no queue, so that nothing else reads it. Each probe has its own row: two nodes never wait for
 * each other, even if one of them crashes in its probe.
 */
public final class ProbeRow {
    /** The ids of messages are above this range, since they begin with the time. */
    private static final UUID FIRST_ID = new UUID(0, 0);

    private static final UUID LAST_ID = new UUID(0, -1);

    /** Sequences begin with 1. */
    private static final long NO_ROW = 0;

    /** Longer than any probe: a row of this age was left by a process that has crashed in one. */
    private static final Duration LEFT_BEHIND = Duration.ofHours(1);

    private final SettlementWriter writer;
    private final int timeoutSeconds;
    private final String insert;
    private final String find;
    private final String lock;
    private final String delete;

    /** @param timeoutSeconds the longest wait for a locked row, in seconds */
    public ProbeRow(String prefix, Dialect dialect, SettlementWriter writer, int timeoutSeconds) {
        this.writer = writer;
        this.timeoutSeconds = timeoutSeconds;
        String message = prefix + "message";
        // Discarded, as a message that an operator has discarded while it was sent: a settlement publishes it
        // nevertheless.
        insert = """
                INSERT INTO %s (status, message_id, application, event_type, schema_version, partition_no, destination,
                  content_type, payload, payload_bytes, occurred_at)
                VALUES ('DISCARDED', ?, '*', 'outbox-probe', 1, 0, '*', 'text/plain', '-', 1, %s)""".formatted(message, dialect.now());
        find = "SELECT seq FROM %s WHERE message_id = ?".formatted(message);
        lock = dialect.lockSkipLocked(
                "seq",
                message,
                "message_id BETWEEN '%s' AND '%s' AND (seq = ? OR created_at < %s)"
                        .formatted(FIRST_ID, LAST_ID, dialect.nowPlusMillis()));
        delete = "%s WHERE application = '*' AND %s AND seq IN"
                        .formatted(dialect.deleteByPrimaryKey(message), QueueId.IS_NOT_PENDING)
                + " (%s)";
    }

    /** @return the sequence of the row */
    public long insert(Connection connection) throws SQLException {
        String id = new UUID(0, ThreadLocalRandom.current().nextLong()).toString();
        statement(connection, insert, id).update();
        return statement(connection, find, id).number();
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
