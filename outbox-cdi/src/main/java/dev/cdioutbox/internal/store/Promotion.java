package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Lets delayed messages whose time has come into their partitions; claims that begin above a floor are told of them. */
final class Promotion {
    /** Derby cannot skip locked rows: the run must not wait for them, and the next promotion tries again. */
    private static final int LOCK_TIMEOUT_SECONDS = 2;

    /**
     * Other databases wait for nobody here. A time-out that a slow database needs to move a thousand rows would roll back the
     * same rows each second, and they would never be due.
     */
    private static final int TIMEOUT_SECONDS = 30;

    private final PromotionStatements sql;
    private final int timeoutSeconds;
    private final boolean knowsFloors;
    private final FloorKeeper keeper;

    Promotion(String prefix, Dialect dialect, FloorKeeper keeper) {
        this.timeoutSeconds = dialect.skipsLocked() ? TIMEOUT_SECONDS : LOCK_TIMEOUT_SECONDS;
        this.knowsFloors = dialect.tellsWriters();
        this.sql = new PromotionStatements(prefix, dialect, knowsFloors);
        this.keeper = keeper;
    }

    /** Commits; tells whether there may be more. What somebody holds is passed by. */
    boolean promote(OwnTransaction transaction, int delayed) throws SQLException {
        return knowsFloors ? atOnce(transaction, delayed) : inSteps(transaction, delayed);
    }

    private boolean atOnce(OwnTransaction transaction, int delayed) throws SQLException {
        Map<Long, Long> moved = new LinkedHashMap<>();
        try (PreparedStatement update = transaction.connection().prepareStatement(sql.promote)) {
            bindQueues(update, delayed);
            update.setString(sql.queues + 1, keeper.floors().dueAfter(delayed));
            try (ResultSet rows = update.executeQuery()) {
                while (rows.next()) {
                    moved.put(rows.getLong(1), rows.getLong(2));
                }
            }
        }
        transaction.commit();
        moved.forEach((sequence, queue) -> keeper.floors().putBack(queue, sequence));
        return moved.size() == PromotionStatements.AT_ONCE;
    }

    /** Where a query locks whatever it looks at, or an update cannot pass anything by: first found, then locked by their keys. */
    private boolean inSteps(OwnTransaction transaction, int delayed) throws SQLException {
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
        try (PreparedStatement lock = connection.prepareStatement(sql.lock(Statements.padded(due.size())))) {
            bind(lock, delayed, due);
            free = numbers(lock);
        }
        if (!free.isEmpty()) {
            try (PreparedStatement move = connection.prepareStatement(sql.move(Statements.padded(free.size())))) {
                bind(move, delayed, free);
                move.executeUpdate();
            }
        }
        transaction.commit();
        // If all of them are held, they are so at once again.
        return due.size() == PromotionStatements.AT_ONCE && !free.isEmpty();
    }

    private void bindQueues(PreparedStatement statement, int delayed) throws SQLException {
        statement.setQueryTimeout(timeoutSeconds);
        for (int parameter = 1; parameter <= sql.queues; parameter++) {
            statement.setInt(parameter, delayed);
        }
    }

    private void bind(PreparedStatement statement, int delayed, List<Long> sequences) throws SQLException {
        statement.setQueryTimeout(timeoutSeconds);
        statement.setInt(1, delayed);
        for (int i = 0; i < Statements.padded(sequences.size()); i++) {
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
