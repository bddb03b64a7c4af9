package dev.cdioutbox.internal.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.LocalTransaction;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/** Moves due delayed messages to their partitions, and reports them to the read watermarks. */
final class DelayedQueue {
    /** In seconds. The statements skip locked rows, so only a fault can make one of them take that long. */
    private static final int TIMEOUT_SECONDS = 30;

    /** In messages: the batch of one short transaction. */
    static final int BATCH_SIZE = 1000;

    private final ReadWatermark watermark;
    /** Moves the due messages and returns them; null on databases where an update locks more than it changes. */
    private final String release;
    /** Finds the due messages, locked or not; null if {@link #release} is not. */
    private final String due;
    /**
     * The number of first parameters of {@link #due} or {@link #release}: each is the id of the queue of delayed
     * messages.
     */
    private final int queueParameters;

    /** Locks the due messages of a list. */
    private final String lock;

    /** Moves the messages of a list. */
    private final String move;

    DelayedQueue(String prefix, Dialect dialect, ReadWatermark watermark) {
        this.watermark = watermark;
        boolean updates = dialect.locksOnlyReturnedRows();
        String message = prefix + "message";
        String isDue = "available_at <= " + dialect.now();
        String unsought = dialect.withoutIndex("queue_id");
        String update = """
                UPDATE %3$s SET available_at = NULL, queue_id = (SELECT p.id FROM %2$spartition p
                  WHERE p.application = %1$s.application AND p.destination = %1$s.destination
                    AND p.partition_no = %1$s.partition_no)
                WHERE %4$s = ? AND %5$s""";
        String first = dialect.limitDue(message, isDue, BATCH_SIZE);
        release = updates
                ? update.formatted(message, prefix, message, unsought, first) + " RETURNING seq, queue_id"
                : null;
        due = updates ? null : "SELECT seq FROM " + message + " WHERE queue_id = ? AND " + first;
        queueParameters =
                (int) (updates ? release : due).chars().filter(c -> c == '?').count();
        lock = updates
                ? null
                : dialect.lockSkipLocked(
                        "seq", dialect.byPrimaryKey(message), unsought + " = ? AND " + isDue + " AND seq IN (%s)");
        move = updates
                ? null
                : update.formatted(message, prefix, dialect.byPrimaryKey(message), unsought, "seq IN (%s)");
    }

    /** Moves due messages and commits. Skips locked rows. Returns whether there may be more. */
    boolean release(LocalTransaction transaction, int delayed) throws SQLException {
        return release != null ? releaseByUpdate(transaction, delayed) : releaseLocked(transaction, delayed);
    }

    private boolean releaseByUpdate(LocalTransaction transaction, int delayed) throws SQLException {
        Map<Long, Long> moved = new LinkedHashMap<>();
        ofQueue(transaction.connection(), release, delayed).forEach(row -> moved.put(row.getLong(1), row.getLong(2)));
        transaction.commit();
        moved.forEach((sequence, queue) -> watermark.requeued(queue, sequence));
        return moved.size() == BATCH_SIZE;
    }

    /**
     * For databases that lock every row they read, or cannot skip locked rows in an update: selects first, then locks
     * by primary key.
     */
    private boolean releaseLocked(LocalTransaction transaction, int delayed) throws SQLException {
        Connection connection = transaction.connection();
        List<Long> found = ofQueue(connection, due, delayed).numbers();
        if (found.isEmpty()) {
            transaction.rollback();
            return false;
        }
        List<Long> free = JdbcStatement.of(connection, lock, delayed, found)
                .within(TIMEOUT_SECONDS)
                .numbers();
        if (!free.isEmpty()) {
            JdbcStatement.of(connection, move, delayed, free)
                    .within(TIMEOUT_SECONDS)
                    .update();
        }
        transaction.commit();
        // If all rows are locked, an immediate retry would find the same.
        return found.size() == BATCH_SIZE && !free.isEmpty();
    }

    private JdbcStatement ofQueue(Connection connection, String text, int delayed) {
        Object[] queue = Collections.nCopies(queueParameters, delayed).toArray();
        return JdbcStatement.of(connection, text, queue).within(TIMEOUT_SECONDS);
    }
}
