package dev.cdioutbox.internal.store.delayed;

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
public final class DelayedQueue {
    /** In seconds. The statements skip locked rows, so only a fault can make one of them take that long. */
    private static final int TIMEOUT_SECONDS = 30;

    private final DelayedQueueStatements sql;
    private final ReadWatermark watermark;

    public DelayedQueue(String prefix, Dialect dialect, ReadWatermark watermark) {
        this.sql = new DelayedQueueStatements(prefix, dialect);
        this.watermark = watermark;
    }

    /** Moves due messages and commits. Skips locked rows. Returns whether there may be more. */
    public boolean release(LocalTransaction transaction, int delayed) throws SQLException {
        return sql.release != null ? releaseByUpdate(transaction, delayed) : releaseLocked(transaction, delayed);
    }

    private boolean releaseByUpdate(LocalTransaction transaction, int delayed) throws SQLException {
        Map<Long, Long> moved = new LinkedHashMap<>();
        ofQueue(transaction.connection(), sql.release, delayed)
                .forEach(row -> moved.put(row.getLong(1), row.getLong(2)));
        transaction.commit();
        moved.forEach((sequence, queue) -> watermark.requeued(queue, sequence));
        return moved.size() == DelayedQueueStatements.BATCH_SIZE;
    }

    /**
     * For databases that lock every row they read, or cannot skip locked rows in an update: selects first, then locks
     * by primary key.
     */
    private boolean releaseLocked(LocalTransaction transaction, int delayed) throws SQLException {
        Connection connection = transaction.connection();
        List<Long> due = ofQueue(connection, sql.due, delayed).numbers();
        if (due.isEmpty()) {
            transaction.rollback();
            return false;
        }
        List<Long> free = JdbcStatement.of(connection, sql.lock, delayed, due)
                .within(TIMEOUT_SECONDS)
                .numbers();
        if (!free.isEmpty()) {
            JdbcStatement.of(connection, sql.move, delayed, free)
                    .within(TIMEOUT_SECONDS)
                    .update();
        }
        transaction.commit();
        // If all rows are locked, an immediate retry would find the same.
        return due.size() == DelayedQueueStatements.BATCH_SIZE && !free.isEmpty();
    }

    private JdbcStatement ofQueue(Connection connection, String text, int delayed) {
        Object[] queue = Collections.nCopies(sql.queueParameters, delayed).toArray();
        return JdbcStatement.of(connection, text, queue).within(TIMEOUT_SECONDS);
    }
}
