package dev.cdioutbox.internal.store;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

/** A pool that notes in which state connections come back, counts what is executed on them, and can let one of it fail. */
public final class WatchedSource {
    private final DataSource database;
    private final int isolation;
    private final List<String> givenBack = new ArrayList<>();
    private int taken;
    private int executed;
    private int longest;
    private int steps;
    private int failing;
    private final Set<String> failed = new HashSet<>();
    private String lastFailed = "";
    private int interrupted;
    private Runnable interruption;

    public WatchedSource(DataSource database, int isolation) {
        this.database = database;
        this.isolation = isolation;
    }

    public DataSource dataSource() {
        return proxy(DataSource.class, (pool, method, arguments) -> {
            taken++;
            Connection connection = database.getConnection();
            connection.setTransactionIsolation(isolation);
            return watched(connection);
        });
    }

    /** Whether what was to fail has failed. */
    boolean hasFailed() {
        return steps >= failing;
    }

    /** What was made to fail so far, with lists of parameters as long as they were. */
    Set<String> failed() {
        return failed;
    }

    /** The last of that. */
    String lastFailed() {
        return lastFailed;
    }

    int taken() {
        return taken;
    }

    public int executed() {
        return executed;
    }

    /** How many characters the longest statement had. */
    public int longest() {
        return longest;
    }

    List<String> givenBack() {
        return givenBack;
    }

    /** The so-manieth execution or commit from now on fails, by the database itself: what it thinks of that counts too. */
    void failAt(int step) {
        steps = 0;
        failing = step;
    }

    /** Something happens after the so-manieth execution from now on. */
    void after(int execution, Runnable what) {
        executed = 0;
        interrupted = execution;
        interruption = what;
    }

    Connection watched(Connection connection) {
        return proxy(Connection.class, (proxy, method, arguments) -> {
            if (method.getName().equals("close")) {
                givenBack.add((connection.getAutoCommit() ? "auto-commit" : "in a transaction") + ", isolation "
                        + connection.getTransactionIsolation());
            }
            if (method.getName().equals("commit") && isToFail("commit")) {
                connection.rollback();
                throw new SQLException("the commit failed");
            }
            Object result = invoke(() -> method.invoke(connection, arguments));
            return result instanceof Statement statement
                    ? watched(statement, method.getReturnType(), arguments == null ? null : arguments[0])
                    : result;
        });
    }

    private Object watched(Statement statement, Class<?> type, Object text) {
        return proxy(type, (proxy, method, arguments) -> {
            boolean isExecution = method.getName().startsWith("execute");
            if (isExecution) {
                executed++;
                String executing = String.valueOf(arguments == null ? text : arguments[0]);
                longest = Math.max(longest, executing.length());
                if (isToFail(executing)) {
                    // MariaDB sees nothing wrong in the first.
                    Database.execute(statement.getConnection(), "SELECT 1 / 0");
                    Database.execute(statement.getConnection(), "SELECT no_such_column");
                }
            }
            Object result = invoke(() -> method.invoke(statement, arguments));
            if (isExecution && executed == interrupted) {
                interrupted = 0;
                interruption.run();
            }
            return result;
        });
    }

    private boolean isToFail(String what) {
        steps++;
        if (steps == failing) {
            lastFailed = what;
            failed.add(what);
        }
        return steps == failing;
    }

    private static Object invoke(Call call) throws Throwable {
        try {
            return call.make();
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private interface Call {
        Object make() throws ReflectiveOperationException;
    }
}
