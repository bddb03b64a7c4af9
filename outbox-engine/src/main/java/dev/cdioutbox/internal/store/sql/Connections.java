package dev.cdioutbox.internal.store.sql;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;

/**
 * Runs work on a DataSource. Throws an SQL failure as an {@link OutboxException} that names the work (OBX-0302); other
 * exceptions of the work pass unchanged.
 */
public record Connections(DataSource dataSource) {

    /** Runs work in the caller's transaction, if there is one. */
    public <T> T withConnection(String what, Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            return work.on(connection);
        } catch (SQLException e) {
            throw failed(what, e);
        }
    }

    /** Runs work in a {@link LocalTransaction}. Work that changes rows has to commit them. */
    public <T> T inLocalTransaction(String what, Work<T> work) {
        try (LocalTransaction transaction = begin()) {
            return work.on(transaction.connection());
        } catch (SQLException e) {
            throw failed(what, e);
        }
    }

    public LocalTransaction begin() throws SQLException {
        Connection connection = dataSource.getConnection();
        try {
            int isolation = connection.getTransactionIsolation();
            if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
                connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            }
            connection.setAutoCommit(false);
            return new LocalTransaction(connection, isolation);
        } catch (SQLException | RuntimeException e) {
            try (connection) {
                throw e;
            }
        }
    }

    public static RuntimeException failed(String what, Exception e) {
        return e instanceof RuntimeException known
                ? known
                : OutboxCode.DATABASE_FAILED.exception(e, what, FailureReason.of(e));
    }

    public interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    /**
     * A local transaction on a separate connection, at READ COMMITTED. Do not begin one in a JTA transaction. With
     * REPEATABLE READ, a claim could read messages that were settled before it locked their partition. close() rolls back
     * uncommitted work, restores the settings of the connection and returns it.
     *
     * @param isolation the isolation of the connection before
     */
    public record LocalTransaction(Connection connection, int isolation) implements AutoCloseable {
        @Override
        public void close() throws SQLException {
            try (connection) {
                connection.rollback();
                connection.setAutoCommit(true);
                if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
                    connection.setTransactionIsolation(isolation);
                }
            }
        }
    }
}
