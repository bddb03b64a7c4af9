package dev.cdioutbox.internal.store.settle;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.sql.StatusCode;

/**
 * Takes messages out of the queue, and writes and changes their deliveries. The number of rows that left the queue tells whether
 * somebody else was first. Thread-safe.
 */
public final class DeliveryTable {
    /** Locks messages that still wait. */
    public static final String LOCK = """
            SELECT seq FROM {queue} /*! FORCE INDEX (PRIMARY) */ WHERE {is pending} AND seq IN (:sequences) FOR UPDATE""";

    /** Names a column outside of the key: by a list of keys alone, MySQL reads a small table as a whole, and waits for locks. */
    public static final String DELETE = """
            DELETE /*! m */ FROM {queue} /*! m FORCE INDEX (PRIMARY) */ WHERE queue_id <> 0 AND seq IN (:sequences)""";

    /** Deletes deliveries. */
    public static final String DELETE_DELIVERIES = """
            DELETE /*! m */ FROM {delivery} /*! m FORCE INDEX (PRIMARY) */ WHERE status > 0 AND seq IN (:sequences)""";

    /** What an operator has retried does not expire. */
    private static final String LOCK_EXPIRED = """
            SELECT seq FROM {queue} /*! FORCE INDEX (PRIMARY) */
            WHERE {is pending} AND requeued_at IS NULL AND seq IN (:sequences) FOR UPDATE""";

    private static final String LOCK_RETRIED = """
            SELECT seq FROM {queue} /*! FORCE INDEX (PRIMARY) */
            WHERE {is pending} AND requeued_at IS NOT NULL AND seq IN (:sequences) FOR UPDATE""";

    /** Moves messages that still wait. */
    private static final String EXPIRE_ON_POSTGRESQL = """
            WITH settled AS (
              DELETE FROM {queue} WHERE {is pending} AND requeued_at IS NULL AND seq IN (:sequences) RETURNING seq, attempts, last_error)
            INSERT INTO {delivery} (seq, status, settled_at, attempts, last_error, broker_message_id, shadow_destination)
            SELECT seq, {EXPIRED}, {now}, attempts, last_error, NULL, NULL FROM settled""";

    /** Copies locked messages. */
    private static final String COPY = """
            INSERT INTO {delivery} (seq, status, settled_at, attempts, last_error, broker_message_id, shadow_destination)
            SELECT seq, {status}, {now}, attempts, last_error, NULL, NULL FROM {queue} /*! FORCE INDEX (PRIMARY) */ WHERE seq IN (:sequences)""";

    /** Where nothing is kept of what was sent, each database needs one statement only. */
    private static final String DELETE_PENDING = """
            DELETE /*! m */ FROM {queue} /*! m FORCE INDEX (PRIMARY) */ WHERE {is pending} AND seq IN (:sequences)""";

    private static final String DELETE_EXPIRED = """
            DELETE /*! m */ FROM {queue} /*! m FORCE INDEX (PRIMARY) */ WHERE {is pending} AND requeued_at IS NULL AND seq IN (:sequences)""";

    private static final String LOCK_DISCARDED = """
            SELECT seq FROM {delivery} /*! FORCE INDEX (PRIMARY) */ WHERE status = {DISCARDED} AND seq IN (:sequences) FOR UPDATE""";

    private final String planByIndex;
    private final boolean isPostgresql;
    private final int timeoutSeconds;
    private final String lockExpired;
    private final String lockRetried;
    private final String expire;
    private final String discard;
    private final String remove;
    private final String removePending;
    private final String removeExpired;
    private final String delete;
    private final String lockDiscarded;

    /** @param timeoutSeconds the longest wait for a locked row, in seconds */
    public DeliveryTable(Sql sql, int timeoutSeconds) {
        this.planByIndex = sql.dialect().planByIndex();
        this.isPostgresql = sql.dialect() == SupportedDatabases.POSTGRESQL;
        this.timeoutSeconds = timeoutSeconds;
        lockExpired = sql.of(LOCK_EXPIRED);
        lockRetried = sql.of(LOCK_RETRIED);
        expire = isPostgresql ? sql.of(EXPIRE_ON_POSTGRESQL) : copy(sql, OutboxStatus.EXPIRED);
        discard = copy(sql, OutboxStatus.DISCARDED);
        remove = sql.of(DELETE);
        removePending = sql.of(DELETE_PENDING);
        removeExpired = sql.of(DELETE_EXPIRED);
        delete = sql.of(DELETE_DELIVERIES);
        lockDiscarded = sql.of(LOCK_DISCARDED);
    }

    private static String copy(Sql sql, OutboxStatus status) {
        return sql.with("status", StatusCode.of(status)).of(COPY);
    }

    /** Ends messages that still wait, and that no operator has retried. Returns their number. */
    int expire(Connection connection, List<Long> sequences) throws SQLException {
        if (sequences.isEmpty()) {
            return 0;
        }
        if (isPostgresql) {
            return statement(connection, expire, sequences).behind(planByIndex).update();
        }
        List<Long> free = statement(connection, lockExpired, sequences).numbers();
        return free.isEmpty() ? 0 : copyAndDelete(connection, expire, free);
    }

    /** Ends messages that wait or are abandoned, and whose rows the caller has locked. */
    public void discard(Connection connection, List<Long> locked) throws SQLException {
        if (!locked.isEmpty()) {
            copyAndDelete(connection, discard, locked);
        }
    }

    private int copyAndDelete(Connection connection, String copy, List<Long> locked) throws SQLException {
        statement(connection, copy, locked).update();
        return statement(connection, remove, locked).update();
    }

    /** Takes messages out of the queue, and keeps nothing of them. Returns the number of those that still waited. */
    int remove(Connection connection, List<Long> sequences) throws SQLException {
        return remove(connection, removePending, sequences);
    }

    /** The same for expired messages, without those that an operator has retried. */
    int removeExpired(Connection connection, List<Long> sequences) throws SQLException {
        return remove(connection, removeExpired, sequences);
    }

    private int remove(Connection connection, String text, List<Long> sequences) throws SQLException {
        return sequences.isEmpty()
                ? 0
                : statement(connection, text, sequences).behind(planByIndex).update();
    }

    /** Locks the messages that wait because an operator has retried or replayed them. */
    List<Long> lockRetried(Connection connection, List<Long> sequences) throws SQLException {
        return statement(connection, lockRetried, sequences).numbers();
    }

    /**
     * Locks the deliveries of messages that an operator has discarded, so that they do not change until the transaction
     * ends.
     */
    List<Long> lockDiscarded(Connection connection, List<Long> sequences) throws SQLException {
        return statement(connection, lockDiscarded, sequences).numbers();
    }

    /** Deletes the deliveries of locked messages. */
    public int delete(Connection connection, List<Long> sequences) throws SQLException {
        return sequences.isEmpty()
                ? 0
                : statement(connection, delete, sequences).update();
    }

    private JdbcStatement statement(Connection connection, String text, List<Long> sequences) {
        return JdbcStatement.of(connection, text).set("sequences", sequences).within(timeoutSeconds);
    }
}
