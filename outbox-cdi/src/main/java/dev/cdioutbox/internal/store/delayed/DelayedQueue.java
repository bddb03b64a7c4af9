package dev.cdioutbox.internal.store.delayed;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.OwnTransaction;
import dev.cdioutbox.internal.store.sql.SequenceInList;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/** Moves due delayed messages to their partitions, and reports them to the read watermarks. */
public final class DelayedQueue {
    /**
     * In seconds, for Derby, which cannot skip locked rows: the run must not wait for them, and the next call tries
     * again.
     */
    private static final int LOCK_TIMEOUT_SECONDS = 2;

    /** In seconds, for a database that skips locked rows: only a fault can make the statement take that long. */
    private static final int TIMEOUT_SECONDS = 30;

    private final DelayedQueueStatements sql;
    private final int timeoutSeconds;
    private final ReadWatermark watermark;

    public DelayedQueue(String prefix, Dialect dialect, ReadWatermark watermark) {
        this.timeoutSeconds = dialect.skipsLocked() ? TIMEOUT_SECONDS : LOCK_TIMEOUT_SECONDS;
        this.sql = new DelayedQueueStatements(prefix, dialect);
        this.watermark = watermark;
    }

    /** Moves due messages and commits. Skips locked rows. Returns whether there may be more. */
    public boolean release(OwnTransaction transaction, int delayed) throws SQLException {
        return sql.release != null ? releaseByUpdate(transaction, delayed) : releaseLocked(transaction, delayed);
    }

    private boolean releaseByUpdate(OwnTransaction transaction, int delayed) throws SQLException {
        Map<Long, Long> moved = new LinkedHashMap<>();
        try (PreparedStatement update = transaction.connection().prepareStatement(sql.release)) {
            bindQueues(update, delayed);
            try (ResultSet rows = update.executeQuery()) {
                while (rows.next()) {
                    moved.put(rows.getLong(1), rows.getLong(2));
                }
            }
        }
        transaction.commit();
        moved.forEach((sequence, queue) -> watermark.requeued(queue, sequence));
        return moved.size() == DelayedQueueStatements.BATCH_SIZE;
    }

    /**
     * For databases that lock every row they read, or cannot skip locked rows in an update: selects first, then locks
     * by primary key.
     */
    private boolean releaseLocked(OwnTransaction transaction, int delayed) throws SQLException {
        Connection connection = transaction.connection();
        List<Long> due;
        try (PreparedStatement select = connection.prepareStatement(sql.due)) {
            bindQueues(select, delayed);
            due = numbers(select);
        }
        if (due.isEmpty()) {
            transaction.rollback();
            return false;
        }
        List<Long> free;
        try (PreparedStatement lock = connection.prepareStatement(sql.lock(SequenceInList.paddedCount(due.size())))) {
            bind(lock, delayed, due);
            free = numbers(lock);
        }
        if (!free.isEmpty()) {
            try (PreparedStatement move =
                    connection.prepareStatement(sql.move(SequenceInList.paddedCount(free.size())))) {
                bind(move, delayed, free);
                move.executeUpdate();
            }
        }
        transaction.commit();
        // If all rows are locked, an immediate retry would find the same.
        return due.size() == DelayedQueueStatements.BATCH_SIZE && !free.isEmpty();
    }

    private void bindQueues(PreparedStatement statement, int delayed) throws SQLException {
        statement.setQueryTimeout(timeoutSeconds);
        for (int parameter = 1; parameter <= sql.queueParameters; parameter++) {
            statement.setInt(parameter, delayed);
        }
    }

    private void bind(PreparedStatement statement, int delayed, List<Long> sequences) throws SQLException {
        statement.setQueryTimeout(timeoutSeconds);
        statement.setInt(1, delayed);
        for (int i = 0; i < SequenceInList.paddedCount(sequences.size()); i++) {
            statement.setLong(i + 2, sequences.get(Math.min(i, sequences.size() - 1)));
        }
    }

    private static List<Long> numbers(PreparedStatement select) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        try (ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                numbers.add(rows.getLong(1));
            }
        }
        return numbers;
    }
}
