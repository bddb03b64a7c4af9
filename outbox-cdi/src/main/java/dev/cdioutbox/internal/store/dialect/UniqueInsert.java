package dev.cdioutbox.internal.store.dialect;

import java.sql.Connection;
import java.sql.SQLException;

/** Inserts rows with a unique key. */
public interface UniqueInsert {

    /**
     * Inserts a row unless it exists. Waits for another transaction that has inserted the same row. The transaction
     * stays usable in any case.
     *
     * @param values the values of the key's columns, and then of the others
     * @return whether the row was inserted
     */
    boolean insert(Connection connection, Object... values) throws SQLException;

    /** Uses a statement that inserts nothing, or fails with a duplicate, if the row exists. */
    static UniqueInsert byStatement(String insert, Dialect dialect) {
        LockWaitRetry timeout = new LockWaitRetry(dialect);
        return (connection, values) -> {
            try {
                return timeout.update(connection, insert, values) > 0;
            } catch (SQLException e) {
                if (dialect.isDuplicate(e)) {
                    return false;
                }
                throw e;
            }
        };
    }
}
