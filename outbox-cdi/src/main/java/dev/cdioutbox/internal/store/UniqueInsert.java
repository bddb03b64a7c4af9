package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.SQLException;

/** Inserts rows of which there is one for each key. */
interface UniqueInsert {

    /**
     * Inserts a row unless it is there; while another transaction has inserted it and not ended, waits for its end. The
     * transaction is usable in any case.
     *
     * @param values of the key's columns, and then of the others
     * @return whether it was inserted
     */
    boolean insert(Connection connection, Object... values) throws SQLException;

    /** By a statement that inserts nothing, or fails as a duplicate, if the row is there. */
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
