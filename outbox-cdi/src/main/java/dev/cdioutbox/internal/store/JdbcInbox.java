package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

import dev.cdioutbox.internal.problem.Problem;

/** The inbox's tables through JDBC. */
final class JdbcInbox implements Inbox {
    /**
     * As long as a transaction lives by default. Who handles the same message is over by then, or dead and in doubt; and
     * who gives up sooner uses up a redelivery for nothing.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final DataSource dataSource;
    private final String application;
    private final InboxStatements sql;
    private final Dialect dialect;

    JdbcInbox(DataSource dataSource, String application, InboxStatements sql, Dialect dialect) {
        this.dataSource = dataSource;
        this.application = application;
        this.sql = sql;
        this.dialect = dialect;
    }

    @Override
    public boolean enter(String consumer, String messageId) {
        return run(
                "noting a message as handled",
                connection -> insert(connection, sql.enter, application, consumer, messageId));
    }

    @Override
    public boolean advance(String consumer, String key, long sequence) {
        // The second time, the key's row is there, and committed: whoever made it was waited for.
        return run(
                "noting how far a key has come",
                connection -> update(connection, sql.advance, sequence, application, consumer, key, sequence) > 0
                        || insert(connection, sql.insertKey, sequence, application, consumer, key)
                        || update(connection, sql.advance, sequence, application, consumer, key, sequence) > 0);
    }

    @Override
    public int sweep(Duration olderThan, int limit) {
        try (OwnTransaction transaction = OwnTransaction.begin(dataSource)) {
            int swept = 0;
            for (String delete : sql.sweep) {
                int some = update(transaction.connection(), delete, application, -olderThan.toMillis(), limit);
                swept = Math.max(swept, some);
            }
            transaction.commit();
            return swept;
        } catch (SQLException e) {
            throw Problem.DATABASE_FAILED.exception(e, "sweeping the inbox", Problem.reason(e));
        }
    }

    private boolean insert(Connection connection, String statement, Object... last) throws SQLException {
        try {
            return update(connection, statement, last) > 0;
        } catch (SQLException e) {
            if (dialect.isDuplicate(e)) {
                return false;
            }
            throw e;
        }
    }

    /** Waits longer than the database does, where giving up leaves the transaction usable. */
    private int update(Connection connection, String statement, Object... parameters) throws SQLException {
        long start = System.nanoTime();
        while (true) {
            try (PreparedStatement update = connection.prepareStatement(statement)) {
                update.setQueryTimeout((int) PATIENCE.toSeconds());
                for (int i = 0; i < parameters.length; i++) {
                    update.setObject(
                            i + 1, parameters[i] instanceof String text ? dialect.stored(text) : parameters[i]);
                }
                return update.executeUpdate();
            } catch (SQLException e) {
                if (!dialect.isLockTimeout(e) || System.nanoTime() - start > PATIENCE.toNanos()) {
                    throw e;
                }
            }
        }
    }

    private <T> T run(String what, Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            return work.on(connection);
        } catch (SQLException e) {
            throw Problem.DATABASE_FAILED.exception(e, what, Problem.reason(e));
        }
    }

    private interface Work<T> {
        T on(Connection connection) throws SQLException;
    }
}
