package dev.cdioutbox.internal.store.claim;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.cdioutbox.internal.store.sql.OutboxStatements;
import dev.cdioutbox.internal.store.sql.OwnTransaction;
import dev.cdioutbox.internal.store.sql.SequenceInList;

/** Finds the rows that are pending and not locked by another transaction. Keeps no locks. */
public final class LockProbe {
    private final OutboxStatements sql;

    public LockProbe(OutboxStatements sql) {
        this.sql = sql;
    }

    /** Probes with SKIP LOCKED. */
    public Set<Long> skipLocked(OwnTransaction transaction, List<Long> rows) throws SQLException {
        return select(transaction, sql.lockMessages(SequenceInList.paddedCount(rows.size())), rows);
    }

    /**
     * Probes with NOWAIT. If the statement fails, finds the locked rows by bisection. On databases without NOWAIT, a
     * lock timeout has the same effect.
     */
    public Set<Long> noWait(OwnTransaction transaction, List<Long> rows) throws SQLException {
        Set<Long> free;
        try {
            free = select(transaction, sql.lockMessagesNoWait(SequenceInList.paddedCount(rows.size())), rows);
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

    /** The rows that are pending in the committed state, locked or not. */
    public Set<Long> pending(OwnTransaction transaction, List<Long> rows) throws SQLException {
        return select(transaction, sql.pending(SequenceInList.paddedCount(rows.size())), rows);
    }

    private static Set<Long> select(OwnTransaction transaction, String statement, List<Long> rows) throws SQLException {
        int parameters = SequenceInList.paddedCount(rows.size());
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
