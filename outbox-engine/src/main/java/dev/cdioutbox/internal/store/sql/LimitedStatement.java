package dev.cdioutbox.internal.store.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * A statement whose executions have a time limit. The limit ends with the statement: H2 would apply it to all that is later
 * executed on the connection, by the application as well.
 *
 * @param seconds 0 for no limit
 */
public record LimitedStatement(PreparedStatement prepared, int seconds) implements AutoCloseable {
    /** Sets the limit. */
    public static LimitedStatement of(PreparedStatement prepared, int seconds) throws SQLException {
        LimitedStatement limited = new LimitedStatement(prepared, seconds);
        try {
            limited.limit(seconds);
            return limited;
        } catch (SQLException e) {
            try (prepared) {
                throw e;
            }
        }
    }

    private void limit(int most) throws SQLException {
        if (seconds > 0) {
            prepared.setQueryTimeout(most);
        }
    }

    @Override
    public void close() throws SQLException {
        try (prepared) {
            limit(0);
        }
    }
}
