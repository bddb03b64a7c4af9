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

    public Set<Long> lockable(OwnTransaction transaction, List<Long> rows) throws SQLException {
        return select(transaction, sql.lockMessages(SequenceInList.paddedCount(rows.size())), rows);
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
