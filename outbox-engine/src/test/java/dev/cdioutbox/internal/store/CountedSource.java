package dev.cdioutbox.internal.store;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.function.LongSupplier;
import javax.sql.DataSource;

/**
 * A pool that keeps its connections, as a server's does, and records what goes to the database. Used by one thread at a
 * time. On PostgreSQL the round trips are those of its driver. H2 runs in this JVM: there each call counts as one.
 */
public final class CountedSource implements AutoCloseable {
    private final TestPool pool;
    private final LongSupplier roundTrips;
    private final List<Call> calls = new ArrayList<>();
    private int uses;
    private long recorded;

    public CountedSource(TestDatabase database) {
        boolean hasSockets = database.kind() == Database.POSTGRESQL;
        pool = new TestPool(hasSockets ? overCountedSockets(database.dataSource()) : database.dataSource());
        roundTrips = hasSockets ? CountedSockets::roundTrips : () -> recorded;
    }

    private static DataSource overCountedSockets(DataSource database) {
        try (Connection connection = database.getConnection()) {
            DatabaseMetaData metaData = connection.getMetaData();
            String url = metaData.getURL();
            Properties properties = new Properties();
            properties.setProperty("user", metaData.getUserName());
            properties.setProperty("socketFactory", CountedSockets.class.getName());
            return proxy(DataSource.class, (proxy, method, arguments) -> DriverManager.getConnection(url, properties));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public DataSource dataSource() {
        return proxy(DataSource.class, (proxy, method, arguments) -> {
            int use = ++uses;
            return counted(pool.dataSource().getConnection(), use);
        });
    }

    /** What was sent since the last call of this method. */
    public SentStatements takeSent() {
        List<SentStatements.Call> taken = new ArrayList<>();
        for (int i = 0; i < calls.size(); i++) {
            Call call = calls.get(i);
            // One thread: all round trips until the next call are of this one, such as its fetches.
            long end = i + 1 < calls.size() ? calls.get(i + 1).roundTripsBefore() : roundTrips.getAsLong();
            taken.add(new SentStatements.Call(
                    call.use(), call.text(), call.rows(), (int) (end - call.roundTripsBefore())));
        }
        calls.clear();
        return new SentStatements(taken);
    }

    private void record(int use, String text, int rows) {
        calls.add(new Call(use, text, rows, roundTrips.getAsLong()));
        recorded++;
    }

    private Connection counted(Connection connection, int use) {
        return proxy(Connection.class, new InvocationHandler() {
            private boolean isInTransaction;

            @Override
            public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
                switch (method.getName()) {
                    case "getTransactionIsolation":
                        // As Liberty's pool, which remembers it and does not ask the database.
                        return Connection.TRANSACTION_READ_COMMITTED;
                    case "commit", "rollback":
                        // A driver sends nothing if there is nothing to end.
                        if (isInTransaction) {
                            record(use, method.getName(), 0);
                        }
                        isInTransaction = false;
                        break;
                    default:
                }
                Object result = call(method, connection, arguments);
                if (result instanceof Statement statement) {
                    Object text = arguments == null ? null : arguments[0];
                    return counted(statement, method.getReturnType(), (String) text);
                }
                return result instanceof DatabaseMetaData metaData ? counted(metaData) : result;
            }

            private Object counted(Statement statement, Class<?> type, String prepared) {
                int[] batch = {0};
                return proxy(type, (proxy, method, arguments) -> {
                    if (method.getName().equals("addBatch")) {
                        batch[0]++;
                    } else if (method.getName().startsWith("execute")) {
                        isInTransaction = !connection.getAutoCommit();
                        record(use, prepared == null ? (String) arguments[0] : prepared, batch[0]);
                        batch[0] = 0;
                    }
                    return call(method, statement, arguments);
                });
            }

            private Object counted(DatabaseMetaData metaData) {
                return proxy(DatabaseMetaData.class, (proxy, method, arguments) -> {
                    if (method.getReturnType() == ResultSet.class) {
                        record(use, "DatabaseMetaData." + method.getName(), 0);
                    }
                    return call(method, metaData, arguments);
                });
            }
        });
    }

    private static Object call(Method method, Object target, Object... arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Override
    public void close() throws SQLException {
        pool.close();
    }

    private record Call(int use, String text, int rows, long roundTripsBefore) {}
}
