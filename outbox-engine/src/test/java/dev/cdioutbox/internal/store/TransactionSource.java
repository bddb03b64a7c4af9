package dev.cdioutbox.internal.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A DataSource as in a JTA transaction: one connection, which only the end of the transaction releases. */
public final class TransactionSource implements AutoCloseable {
    private final Connection connection;
    private final AtomicInteger prepared = new AtomicInteger();

    public TransactionSource(DataSource dataSource) throws SQLException {
        this(dataSource.getConnection());
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    }

    public TransactionSource(Connection connection) {
        this.connection = connection;
    }

    public DataSource dataSource() {
        return proxy(DataSource.class, null, shared());
    }

    public Connection connection() {
        return connection;
    }

    /** The number of prepared statements. */
    int prepared() {
        return prepared.get();
    }

    public void begin() throws SQLException {
        connection.setAutoCommit(false);
    }

    public void commit() throws SQLException {
        connection.commit();
    }

    private Connection shared() {
        return proxy(Connection.class, connection, null);
    }

    private <T> T proxy(Class<T> type, T target, Object answer) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (target == null) {
                        return answer;
                    }
                    if (method.getName().equals("setAutoCommit")) {
                        throw new SQLException("not in a global transaction");
                    }
                    prepared.addAndGet(method.getName().equals("prepareStatement") ? 1 : 0);
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
