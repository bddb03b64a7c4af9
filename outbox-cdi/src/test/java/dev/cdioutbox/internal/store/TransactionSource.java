package dev.cdioutbox.internal.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A DataSource as it is within a JTA transaction: one connection, which only the transaction's end gives back. */
final class TransactionSource implements AutoCloseable {
    private final Connection connection;

    TransactionSource(DataSource dataSource) throws SQLException {
        connection = dataSource.getConnection();
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    }

    DataSource dataSource() {
        return proxy(DataSource.class, null, shared());
    }

    Connection connection() {
        return connection;
    }

    void begin() throws SQLException {
        connection.setAutoCommit(false);
    }

    void commit() throws SQLException {
        connection.commit();
    }

    private Connection shared() {
        return proxy(Connection.class, connection, null);
    }

    private static <T> T proxy(Class<T> type, T target, Object answer) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (target == null) {
                        return answer;
                    }
                    try {
                        return method.getName().equals("close") ? null : method.invoke(target, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
