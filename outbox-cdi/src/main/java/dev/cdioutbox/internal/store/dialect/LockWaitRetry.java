package dev.cdioutbox.internal.store.dialect;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Retries a statement after a lock timeout, on databases whose own timeout is short and leaves the transaction usable.
 */
public final class LockWaitRetry {
    /**
     * The default timeout of a transaction. After this time a transaction that handles the same message has ended or is
     * in doubt. A shorter wait would waste a redelivery.
     */
    static final Duration MAX_WAIT = Duration.ofSeconds(120);

    private final Dialect dialect;

    public LockWaitRetry(Dialect dialect) {
        this.dialect = dialect;
    }

    public int update(Connection connection, String statement, Object... parameters) throws SQLException {
        return run(connection, statement, parameters, PreparedStatement::executeUpdate);
    }

    /** The number in the first column of the first row; 0 if there is no row. */
    long number(Connection connection, String statement, Object... parameters) throws SQLException {
        return run(connection, statement, parameters, query -> {
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        });
    }

    private <T> T run(Connection connection, String statement, Object[] parameters, Step<T> step) throws SQLException {
        long start = System.nanoTime();
        while (true) {
            try (PreparedStatement prepared = connection.prepareStatement(statement)) {
                prepared.setQueryTimeout((int) MAX_WAIT.toSeconds());
                for (int i = 0; i < parameters.length; i++) {
                    prepared.setObject(
                            i + 1, parameters[i] instanceof String text ? dialect.encodeText(text) : parameters[i]);
                }
                return step.of(prepared);
            } catch (SQLException e) {
                if (!dialect.isLockTimeout(e) || System.nanoTime() - start > MAX_WAIT.toNanos()) {
                    throw e;
                }
            }
        }
    }

    private interface Step<T> {
        T of(PreparedStatement statement) throws SQLException;
    }
}
