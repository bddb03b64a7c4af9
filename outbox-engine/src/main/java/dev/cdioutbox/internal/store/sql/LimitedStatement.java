package dev.cdioutbox.internal.store.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * A prepared statement that may have a time limit. The limit ends when the statement is closed: H2 would go on to apply it to
 * every statement of the connection, even to those of the application.
 */
public final class LimitedStatement implements AutoCloseable {
    private final PreparedStatement prepared;
    private final boolean isLimited;

    private LimitedStatement(PreparedStatement prepared, int seconds) throws SQLException {
        this.prepared = prepared;
        isLimited = seconds > 0;
        if (isLimited) {
            prepared.setQueryTimeout(seconds);
        }
    }

    /**
     * Limits each execution of a statement, or closes the statement if that fails.
     *
     * @param seconds 0 leaves the limit that the DataSource may have
     */
    public static LimitedStatement of(PreparedStatement prepared, int seconds) throws SQLException {
        try {
            return new LimitedStatement(prepared, seconds);
        } catch (SQLException e) {
            try (prepared) {
                throw e;
            }
        }
    }

    public PreparedStatement prepared() {
        return prepared;
    }

    @Override
    public void close() throws SQLException {
        try (prepared) {
            if (isLimited) {
                prepared.setQueryTimeout(0);
            }
        }
    }
}
