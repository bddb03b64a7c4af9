package dev.cdioutbox.internal.store.capture;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.Collections;
import java.util.List;

import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.LimitedStatement;
import dev.cdioutbox.internal.store.sql.NewRow;

/** One INSERT that is executed for many rows, as a JDBC batch of statements with the same number of rows. */
final class InsertBatch {
    /** The SQL state of a statement that was canceled, on PostgreSQL and H2. */
    private static final String CANCELED = "57014";

    private InsertBatch() {}

    /** The rows of VALUES. */
    static String values(String ofOneRow, int rows) {
        return String.join(", ", Collections.nCopies(rows, "(" + ofOneRow + ")"));
    }

    /** @param rowsOfStatement divides the number of the rows */
    static void execute(
            Connection connection, String statement, List<NewRow> rows, int rowsOfStatement, RowBinder binder)
            throws SQLException {
        // Liberty cancels the JTA timeout before completion: without this limit a lock could block the commit for ever.
        try (LimitedStatement insert =
                LimitedStatement.of(connection.prepareStatement(statement), JdbcStatement.LOCK_WAIT_SECONDS)) {
            for (int first = 0; first < rows.size(); first += rowsOfStatement) {
                binder.bind(insert.prepared(), rows.subList(first, first + rowsOfStatement));
                insert.prepared().addBatch();
            }
            insert.prepared().executeBatch();
        } catch (SQLException e) {
            throw CANCELED.equals(e.getSQLState()) ? timeout(e) : e;
        }
    }

    /** Names the cause of a canceled statement: PostgreSQL's own text says that the user requested the cancel. */
    private static SQLException timeout(SQLException canceled) {
        SQLException timeout = new SQLTimeoutException(
                "the statement took longer than " + JdbcStatement.LOCK_WAIT_SECONDS
                        + " s, because another transaction holds a lock or the database is slow",
                CANCELED);
        timeout.addSuppressed(canceled);
        return timeout;
    }

    /** Binds the rows of one statement. */
    interface RowBinder {
        void bind(PreparedStatement insert, List<NewRow> rows) throws SQLException;
    }
}
