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
    /** Where the database cannot leave out what others hold. */
    private static final int TIMEOUT_SECONDS = 5;

    private final Statements sql;
    private final FloorKeeper floors;

    Promotion(Statements sql, FloorKeeper floors) {
        this.sql = sql;
        this.floors = floors;
    }

    /**
     * Commits; tells whether there may be more. It waits for nobody: what an operator or a delivery in doubt holds stays where it
     * is, or nothing of the destination would be delivered meanwhile.
     */
    boolean promote(OwnTransaction transaction, int delayed) throws SQLException {
        Connection connection = transaction.connection();
        List<Long> due = sequences(connection, sql.due, delayed, List.of());
        if (due.isEmpty()) {
            transaction.rollback();
            return false;
        }
        List<Long> free = sequences(connection, sql.lockDue(Statements.padded(due.size())), delayed, due);
        Map<Long, Long> moved = free.isEmpty() ? Map.of() : move(connection, delayed, free);
        transaction.commit();
        moved.forEach((sequence, queue) -> floors.floors().putBack(queue, sequence));
        return due.size() == Statements.PROMOTED_AT_ONCE && !free.isEmpty();
    }

    private static List<Long> sequences(Connection connection, String statement, int delayed, List<Long> among)
            throws SQLException {
        List<Long> found = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(statement)) {
            bind(select, delayed, among);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    found.add(rows.getLong(1));
                }
            }
        }
        return found;
    }

    /** @return where to, as far as anybody has to know that */
    private Map<Long, Long> move(Connection connection, int delayed, List<Long> free) throws SQLException {
        String statement = sql.promote(Statements.padded(free.size()));
        boolean tells = sql.dialect().tellsWriters();
        Map<Long, Long> moved = new LinkedHashMap<>();
        try (PreparedStatement update =
                connection.prepareStatement(tells ? statement + " RETURNING seq, queue_id" : statement)) {
            bind(update, delayed, free);
            if (!tells) {
                update.executeUpdate();
                return moved;
            }
            try (ResultSet rows = update.executeQuery()) {
                while (rows.next()) {
                    moved.put(rows.getLong(1), rows.getLong(2));
                }
            }
        }
        return moved;
    }

    private static void bind(PreparedStatement statement, int delayed, List<Long> sequences) throws SQLException {
        statement.setQueryTimeout(TIMEOUT_SECONDS);
        statement.setInt(1, delayed);
        int parameters = sequences.isEmpty() ? 0 : Statements.padded(sequences.size());
        for (int i = 0; i < parameters; i++) {
            statement.setLong(i + 2, sequences.get(Math.min(i, sequences.size() - 1)));
        }
    }
}
