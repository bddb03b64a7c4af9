package dev.cdioutbox.internal.store;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Finds out which rows still wait and are held by no other transaction. Keeps nothing locked. */
final class LockProbe {
    private final OutboxStatements sql;

    LockProbe(OutboxStatements sql) {
        this.sql = sql;
    }

    /** By a statement that leaves out what others hold. */
    Set<Long> skipLocked(OwnTransaction transaction, List<Long> rows) throws SQLException {
        return select(transaction, sql.lockMessages(OutboxStatements.paddedCount(rows.size())), rows);
    }

    /**
     * By one that fails at once if others hold any of them: then by halves, down to the rows that are held. One that had to
     * wait would end with the database's lock time-out, and come to the same.
     */
    Set<Long> noWait(OwnTransaction transaction, List<Long> rows) throws SQLException {
        Set<Long> free;
        try {
            free = select(transaction, sql.lockMessagesNoWait(OutboxStatements.paddedCount(rows.size())), rows);
            transaction.rollback();
        } catch (SQLException e) {
            transaction.rollback();
            if (!sql.dialect().isLockedByOther(e)) {
                throw e;
            }
            free = new HashSet<>();
            if (rows.size() > 1) {
                int middle = rows.size() / 2;
                free.addAll(noWait(transaction, rows.subList(0, middle)));
                free.addAll(noWait(transaction, rows.subList(middle, rows.size())));
            }
        }
        return free;
    }

    /** By what is committed, whoever holds it. */
    Set<Long> pending(OwnTransaction transaction, List<Long> rows) throws SQLException {
        return select(transaction, sql.pending(OutboxStatements.paddedCount(rows.size())), rows);
    }

    private static Set<Long> select(OwnTransaction transaction, String statement, List<Long> rows) throws SQLException {
        int parameters = OutboxStatements.paddedCount(rows.size());
        Set<Long> free = new HashSet<>();
        try (PreparedStatement select = transaction.connection().prepareStatement(statement)) {
            for (int i = 0; i < parameters; i++) {
                select.setLong(i + 1, rows.get(Math.min(i, rows.size() - 1)));
            }
            try (ResultSet found = select.executeQuery()) {
                while (found.next()) {
                    free.add(found.getLong(1));
                }
            }
        }
        return free;
    }
}
