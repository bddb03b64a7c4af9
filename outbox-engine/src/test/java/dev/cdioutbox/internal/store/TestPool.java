package dev.cdioutbox.internal.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import javax.sql.DataSource;

/** Reuses returned connections, as a server's pool does. The pool has no maximum size. */
public final class TestPool implements AutoCloseable {
    private final DataSource database;
    private final Deque<Connection> idle = new ConcurrentLinkedDeque<>();

    public TestPool(DataSource database) {
        this.database = database;
    }

    public DataSource dataSource() {
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> take());
    }

    private Connection take() throws SQLException {
        Connection kept = idle.poll();
        Connection connection = kept == null ? database.getConnection() : kept;
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        connection.setAutoCommit(true);
                        idle.push(connection);
                        return null;
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Override
    public void close() throws SQLException {
        for (Connection connection = idle.poll(); connection != null; connection = idle.poll()) {
            connection.close();
        }
    }
}
