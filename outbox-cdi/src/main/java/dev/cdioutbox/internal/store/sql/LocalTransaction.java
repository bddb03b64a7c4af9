package dev.cdioutbox.internal.store.sql;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * A local transaction on a separate connection, at READ COMMITTED. Do not begin one in a JTA transaction. With
 * REPEATABLE READ, a claim could read messages that were settled before it locked their partition. close() rolls back
 * uncommitted work, restores the settings of the connection and returns it.
 */
public final class LocalTransaction implements AutoCloseable {
    private final Connection connection;
    private final int isolation;

    private LocalTransaction(Connection connection, int isolation) {
        this.connection = connection;
        this.isolation = isolation;
    }

    public static LocalTransaction begin(DataSource dataSource) throws SQLException {
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

    public Connection connection() {
        return connection;
    }

    public void rollback() throws SQLException {
        connection.rollback();
    }

    public void commit() throws SQLException {
        connection.commit();
    }

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
