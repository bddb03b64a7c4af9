package dev.cdioutbox.tests.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Queue;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAResource;

/**
 * H2's DataSource, which records each call that goes to the database. The server loads this class with the driver, and
 * the test loads it with the application. So both share a system property: the test puts a queue there, and this class
 * fills it.
 */
public final class CountedDataSource extends H2DataSource implements XADataSource {
    /** Holds the queue of calls, each {@code <thread id> <call>}. Without a queue the DataSource records nothing. */
    public static final String CALLS = "cdioutbox.tests.jdbc.calls";

    @Override
    public XAConnection getXAConnection() throws SQLException {
        return counted(driver.getXAConnection(), XAConnection.class);
    }

    @Override
    public XAConnection getXAConnection(String user, String password) throws SQLException {
        return counted(driver.getXAConnection(user, password), XAConnection.class);
    }

    private static <T> T counted(T real, Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                CountedDataSource.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    note(real, method.getName(), arguments);
                    try {
                        return wrapped(method.invoke(real, arguments));
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private static Object wrapped(Object result) {
        if (result instanceof XAResource resource) {
            return counted(resource, XAResource.class);
        }
        if (result instanceof Connection connection) {
            return counted(connection, Connection.class);
        }
        if (result instanceof PreparedStatement statement) {
            return counted(statement, PreparedStatement.class);
        }
        return result instanceof Statement statement ? counted(statement, Statement.class) : result;
    }

    @SuppressWarnings("unchecked")
    private static void note(Object target, String method, Object[] arguments) {
        if (System.getProperties().get(CALLS) instanceof Queue<?> calls && goesToTheDatabase(target, method)) {
            String text = target instanceof Statement ? method + " " + target : method;
            boolean onePhase = method.equals("commit") && arguments != null && Boolean.TRUE.equals(arguments[1]);
            ((Queue<String>) calls)
                    .add(Thread.currentThread().getId() + " " + text + (onePhase ? " in one phase" : ""));
        }
    }

    private static boolean goesToTheDatabase(Object target, String method) {
        return target instanceof XAResource
                ? method.equals("start") || method.equals("prepare") || method.equals("commit")
                : method.startsWith("execute") || method.equals("commit") || method.equals("rollback");
    }
}
